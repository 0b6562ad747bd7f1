// An S3 that tests work against: it keeps everything in memory and checks the signature of each request (version 4, of
// headers and of presigned URLs). It serves until its standard input ends, so that none outlives its test.
//
//	s3-server <bucket> <access key> <secret key>
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"
)

func main() {
	bucket, key, secret := os.Args[1], os.Args[2], os.Args[3]
	backend := s3mem.New()
	if err := backend.CreateBucket(context.Background(), bucket); err != nil {
		panic(err)
	}
	server := gofakes3.New(backend, gofakes3.WithV4Auth(map[string]string{key: secret}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("listening on port %d\n", listener.Addr().(*net.TCPAddr).Port)
	go func() { panic(http.Serve(listener, server.Server())) }()
	io.Copy(io.Discard, os.Stdin)
}
