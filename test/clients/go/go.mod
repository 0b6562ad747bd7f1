module homeport.test/clients/go

go 1.19

require github.com/leancloud/go-sdk v0.1.0

require (
	github.com/google/go-querystring v1.0.0 // indirect
	github.com/levigross/grequests v0.0.0-20180715163950-d0df86deffcb // indirect
	golang.org/x/net v0.0.0-20190110200230-915654e7eabc // indirect
)
