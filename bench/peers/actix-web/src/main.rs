//! actix-web with one worker; the default logger and compression are left out. Date is its own, Server ours.
use actix_web::http::header::{HeaderValue, CONTENT_TYPE, SERVER};
use actix_web::{web, App, HttpRequest, HttpResponse, HttpServer};
use serde::Serialize;

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

async fn plaintext() -> HttpResponse {
    let mut reply = HttpResponse::with_body(actix_web::http::StatusCode::OK, "Hello, World!").map_into_boxed_body();
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    reply.headers_mut().insert(SERVER, HeaderValue::from_static("actix"));
    reply
}

async fn json() -> HttpResponse {
    HttpResponse::Ok().insert_header((SERVER, "actix")).json(Message { message: "Hello, World!" })
}

// Held in memory: a reply that streams the request's own payload makes it close the connection.
async fn echo(request: HttpRequest, body: web::Bytes) -> HttpResponse {
    let mut reply = HttpResponse::Ok();
    if let Some(value) = request.headers().get(CONTENT_TYPE) {
        reply.insert_header((CONTENT_TYPE, value.clone()));
    }
    reply.body(body)
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let port: u16 = std::env::var("PORT").ok().and_then(|p| p.parse().ok()).unwrap_or(8080);
    HttpServer::new(|| {
        App::new()
            .app_data(web::PayloadConfig::new(64 << 20))
            .route("/plaintext", web::get().to(plaintext))
            .route("/json", web::get().to(json))
            .route("/echo", web::post().to(echo))
    })
    .workers(1)
    .backlog(4096)
    .bind(("127.0.0.1", port))?
    .run()
    .await
}
