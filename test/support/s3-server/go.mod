module homeport.test/support/s3-server

go 1.19

require github.com/rclone/gofakes3 v0.0.4

require (
	github.com/minio/xxml v0.0.3 // indirect
	github.com/ryszard/goskiplist v0.0.0-20150312221310-2dfbae5fcf46 // indirect
)
