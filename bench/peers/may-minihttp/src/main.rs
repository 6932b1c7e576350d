//! may_minihttp with one worker. It writes Date and Server itself.
use std::io;

use bytes::BufMut;
use may_minihttp::{HttpServer, HttpService, Request, Response};
use serde::Serialize;

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

#[derive(Clone)]
struct Endpoints;

impl HttpService for Endpoints {
    fn call(&mut self, request: Request, reply: &mut Response) -> io::Result<()> {
        match request.path() {
            "/plaintext" => {
                reply.header("Content-Type: text/plain").body("Hello, World!");
            }
            "/json" => {
                reply.header("Content-Type: application/json");
                serde_json::to_writer(reply.body_mut().writer(), &Message { message: "Hello, World!" })?;
            }
            _ => {
                reply.status_code(404, "Not Found");
            }
        }
        Ok(())
    }
}

fn main() -> io::Result<()> {
    may::config().set_workers(1);
    let port = std::env::var("PORT").unwrap_or_else(|_| "8080".into());
    let server = HttpServer(Endpoints).start(format!("127.0.0.1:{port}"))?;
    server.join().map_err(|_| io::Error::other("the accepting coroutine failed"))
}
