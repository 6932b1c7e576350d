module needletail/judge/tls

go 1.20
