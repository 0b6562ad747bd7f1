package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/leancloud/go-sdk/leancloud"
)

// serveCloudCode runs the client's cloud code engine.
func serveCloudCode() {
	leancloud.Define("who", func(request *leancloud.FunctionRequest) (interface{}, error) {
		name := "nobody"
		if request.CurrentUser != nil {
			name = request.CurrentUser.String("username")
		}
		params, _ := request.Params.(map[string]interface{})
		return fmt.Sprint(params["greeting"], ", ", name), nil
	})
	leancloud.Define("refuse", func(*leancloud.FunctionRequest) (interface{}, error) {
		return nil, leancloud.ErrorWithCode(4242, "refused on purpose")
	})
	leancloud.BeforeSave("Review", func(request *leancloud.ClassHookRequest) (interface{}, error) {
		comment := request.Object.String("comment")
		if comment == "" {
			return nil, leancloud.Error("No comment.")
		}
		request.Object.Raw()["comment"] = strings.ToUpper(comment)
		return request.Object, nil
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Getenv("LEANCLOUD_APP_PORT"), leancloud.Handler(nil)))
}
