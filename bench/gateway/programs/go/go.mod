module needletail/bench/gateway

go 1.20
