//! ntex with one worker on tokio. Date is its own, Server ours.
use ntex::http::header::{HeaderValue, CONTENT_TYPE, SERVER};
use ntex::web::{self, App, HttpRequest, HttpResponse};
use serde::Serialize;

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

async fn plaintext() -> HttpResponse {
    HttpResponse::Ok()
        .header(SERVER, HeaderValue::from_static("ntex"))
        .header(CONTENT_TYPE, HeaderValue::from_static("text/plain"))
        .body("Hello, World!")
}

async fn json() -> HttpResponse {
    HttpResponse::Ok().header(SERVER, HeaderValue::from_static("ntex")).json(&Message { message: "Hello, World!" })
}

async fn echo(request: HttpRequest, body: web::types::Payload) -> HttpResponse {
    let mut reply = HttpResponse::Ok();
    if let Some(value) = request.headers().get(CONTENT_TYPE) {
        reply.header(CONTENT_TYPE, value.clone());
    }
    reply.streaming(body)
}

#[ntex::main]
async fn main() -> std::io::Result<()> {
    let port: u16 = std::env::var("PORT").ok().and_then(|p| p.parse().ok()).unwrap_or(8080);
    web::server(|| {
        App::new()
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
