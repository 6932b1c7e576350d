"""Python's ssl as a client: PORT, the PORT that requires client certificates, those of a server whose certificate has
expired and of one whose is revoked, and the folder with the certificates. Prints what it says of what is refused."""

import os
import socket
import ssl
import sys
import warnings

PORT, CLIENTS_PORT, OLD_PORT, WITHDRAWN_PORT = (int(port) for port in sys.argv[1:5])
FOLDER = sys.argv[5]
VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
REQUEST = b"GET /plaintext HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def context(version=None, protocols=(), certificate=None, trusted="ca.pem"):
    made = ssl.create_default_context(cafile=os.path.join(FOLDER, trusted))
    if version:
        made.minimum_version = made.maximum_version = version
    if protocols:
        made.set_alpn_protocols(protocols)
    if certificate == "weak":
        made.set_ciphers("DEFAULT:@SECLEVEL=0")
    if certificate:
        made.load_cert_chain(*(os.path.join(FOLDER, certificate + end) for end in (".pem", ".key")))
    return made


def connect(by, port=PORT, name="localhost", session=None):
    plain = socket.create_connection(("127.0.0.1", port), 20)
    # without suppress_ragged_eofs=False an end without close_notify looks like any other
    return by.wrap_socket(plain, server_hostname=name, suppress_ragged_eofs=False, session=session)


def everything(secure):
    received = b""
    while piece := secure.recv(65536):
        received += piece
    return received


def get(secure):
    """Asks, reads to the close_notify and sends ours."""
    secure.sendall(REQUEST)
    answer = everything(secure)
    assert answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b"Hello, World!"), answer
    secure.unwrap().close()


def versions():
    for name, version in VERSIONS.items():
        with connect(context(version)) as secure:
            assert secure.version() == name, secure.version()
            get(secure)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        old = context(ssl.TLSVersion.TLSv1_1)
    old.set_ciphers("ALL:@SECLEVEL=0")
    refused("PROTOCOL_VERSION", lambda: connect(old))


def words(error):
    """OpenSSL's name of the reason; where Python knows none, its sentence looks like that."""
    return str(error).upper().replace(" ", "_")


def refused(reason, connecting):
    try:
        connecting()
    except (ssl.SSLError, ConnectionError) as error:
        assert reason in words(error), f"{error!r} instead of {reason}"
        return error
    else:
        raise AssertionError("accepted instead of " + reason)


def protocols():
    for version in VERSIONS.values():
        with connect(context(version, ["h2", "http/1.1"])) as secure:
            assert secure.selected_alpn_protocol() == "http/1.1", secure.selected_alpn_protocol()
        with connect(context(version)) as secure:
            assert secure.selected_alpn_protocol() is None
        refused("NO_APPLICATION_PROTOCOL", lambda: connect(context(version, ["h2"])))


def names():
    for name in ("shop.example", "a.shop.example", "SHOP.example"):
        with connect(context(), name=name) as secure:  # which verifies the name
            get(secure)
    for name in ("a.b.shop.example", "other.example"):
        refused("CERTIFICATE_VERIFY_FAILED", lambda: connect(context(), name=name))


def resumption():
    for name, version in VERSIONS.items():
        by = context(version)
        with connect(by) as secure:
            secure.sendall(REQUEST)
            everything(secure)  # tickets of TLS 1.3 come with it
            session = secure.session
            assert not secure.session_reused
        for _ in range(3):
            with connect(by, session=session) as secure:
                assert secure.session_reused, name
                get(secure)


def large():
    content = os.urandom(3_000_000)
    for version in VERSIONS.values():
        with connect(context(version)) as secure:
            secure.sendall(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ")
            secure.sendall(b"%d\r\n\r\n" % len(content))
            # in pieces of the server's own speed: it echoes as it reads
            received = b""
            for at in range(0, len(content), 60_000):
                secure.sendall(content[at : at + 60_000])
                received += secure.recv(1_000_000)
            received += everything(secure)
            assert received.split(b"\r\n\r\n", 1)[1] == content, len(received)


def ends():
    """A client that ends its stream without a request gets the end of the server's."""
    for version in VERSIONS.values():
        with connect(context(version)) as secure:
            secure.unwrap().close()


def client_certificates():
    for version in VERSIONS.values():
        with connect(context(version, certificate="client"), CLIENTS_PORT) as secure:
            get(secure)

        def asks(certificate, version=version):
            with connect(context(version, certificate=certificate), CLIENTS_PORT) as secure:
                get(secure)

        for certificate, reasons in {
            None: ("CERTIFICATE_REQUIRED", "BAD_CERTIFICATE", "HANDSHAKE_FAILURE"),
            "stranger": ("UNKNOWN_CA", "CERTIFICATE_UNKNOWN"),
            "expired": ("CERTIFICATE_EXPIRED", "CERTIFICATE_UNKNOWN"),
            "revoked": ("CERTIFICATE_REVOKED", "CERTIFICATE_UNKNOWN"),
            "weak": ("BAD_CERTIFICATE", "CERTIFICATE_UNKNOWN"),
        }.items():
            try:
                asks(certificate)
            except ssl.SSLError as error:
                assert any(reason in words(error) for reason in reasons), f"{certificate}: {error!r}"
                print(f"{version.name}, client certificate: {str(certificate).lower()}: {error}")
            else:
                raise AssertionError(f"{certificate} was accepted")


def server_certificates():
    for version in VERSIONS.values():
        revoking = context(version)
        revoking.load_verify_locations(os.path.join(FOLDER, "ca.crl"))
        revoking.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
        with connect(revoking) as secure:
            get(secure)
        for what, by, port, reason in (
            ("expired", context(version), OLD_PORT, "CERTIFICATE_HAS_EXPIRED"),
            ("revoked", revoking, WITHDRAWN_PORT, "CERTIFICATE_REVOKED"),
            ("unknown issuer", context(version, trusted="others.pem"), PORT, "ISSUER_CERTIFICATE"),
        ):
            said = refused(reason, lambda by=by, port=port: connect(by, port))
            print(f"{version.name}, server's certificate: {what}: {said}")


for judge in (versions, protocols, names, resumption, large, ends, client_certificates, server_certificates):
    try:
        judge()
    except Exception as error:
        raise SystemExit(f"{judge.__name__}: {error!r}") from error
