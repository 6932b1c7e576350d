/* The least that a CGI program can be: what forking and starting cost by themselves. */
#include <stdio.h>

int main(void) {
    fputs("Status: 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!", stdout);
    return 0;
}
