//! axum on tokio's current-thread runtime, served as its documentation shows. Date is hyper's, Server ours.
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{CONTENT_TYPE, SERVER};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use serde::Serialize;

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

async fn plaintext() -> impl IntoResponse {
    ([(SERVER, "axum"), (CONTENT_TYPE, "text/plain")], "Hello, World!")
}

async fn json() -> impl IntoResponse {
    ([(SERVER, "axum")], Json(Message { message: "Hello, World!" }))
}

async fn echo(request: Request) -> Response {
    let content_type = request.headers().get(CONTENT_TYPE).cloned();
    let mut reply = Response::new(Body::new(request.into_body()));
    if let Some(value) = content_type {
        reply.headers_mut().insert(CONTENT_TYPE, value);
    }
    reply
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port: u16 = std::env::var("PORT")?.parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let router = Router::new()
            .route("/plaintext", get(plaintext))
            .route("/json", get(json))
            .route("/echo", post(echo));
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        Ok(axum::serve(listener, router).await?)
    })
}
