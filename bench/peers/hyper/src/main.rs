//! hyper 1 on tokio's current-thread runtime: one thread for everything.
use std::convert::Infallible;
use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::{combinators::BoxBody, BodyExt, Empty, Full};
use hyper::body::Incoming;
use hyper::header::{HeaderValue, CONTENT_TYPE, SERVER};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use tokio::net::TcpSocket;

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

type Reply = Response<BoxBody<Bytes, hyper::Error>>;

fn full(body: impl Into<Bytes>, content_type: &'static str) -> Reply {
    let mut reply = Response::new(Full::new(body.into()).map_err(|never: Infallible| match never {}).boxed());
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(SERVER, HeaderValue::from_static("hyper"));
    reply
}

async fn handle(request: Request<Incoming>) -> Result<Reply, serde_json::Error> {
    Ok(match (request.method(), request.uri().path()) {
        (&Method::GET, "/plaintext") => full(Bytes::from_static(b"Hello, World!"), "text/plain"),
        (&Method::GET, "/json") => full(serde_json::to_vec(&Message { message: "Hello, World!" })?, "application/json"),
        (&Method::POST, "/echo") => {
            let content_type = request.headers().get(CONTENT_TYPE).cloned();
            let mut reply = Response::new(request.into_body().boxed());
            if let Some(value) = content_type {
                reply.headers_mut().insert(CONTENT_TYPE, value);
            }
            reply.headers_mut().insert(SERVER, HeaderValue::from_static("hyper"));
            reply
        }
        _ => {
            let mut reply = Response::new(Empty::new().map_err(|never: Infallible| match never {}).boxed());
            *reply.status_mut() = StatusCode::NOT_FOUND;
            reply
        }
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port: u16 = std::env::var("PORT")?.parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let tasks = tokio::task::LocalSet::new();
    tasks.block_on(&runtime, async {
        let socket = TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        socket.bind(SocketAddr::from(([127, 0, 0, 1], port)))?;
        let listener = socket.listen(4096)?;
        loop {
            let Ok((stream, _)) = listener.accept().await else { continue };
            let _ = stream.set_nodelay(true);
            tokio::task::spawn_local(async move {
                // pipeline_flush: one write for the replies to what one read brought.
                let _ = http1::Builder::new()
                    .pipeline_flush(true)
                    .serve_connection(TokioIo::new(stream), service_fn(handle))
                    .await;
            });
        }
    })
}
