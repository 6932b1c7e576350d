#!/usr/bin/env python3
import sys

sys.stdout.write("Status: 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!")
