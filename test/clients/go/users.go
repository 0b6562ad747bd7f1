package main

import (
	"fmt"

	"github.com/leancloud/go-sdk/leancloud"
)

var client = leancloud.NewEnvClient()

type person struct {
	leancloud.User
	Nickname string `json:"nickname"`
}

func signUp(name string) (*leancloud.User, error) {
	return client.Users.SignUp(name, "password of "+name)
}

// refusedWith checks that the server said this code.
func refusedWith(code int, err error) error {
	refusal, ok := err.(*leancloud.ServerResponseError)
	if !ok {
		return fmt.Errorf("expected error %d, not %v", code, err)
	}
	return expect("the code", refusal.Code, code)
}

func userCases() []testCase {
	return []testCase{
		{"signs up, logs in and becomes", func() error {
			made, err := signUp("mia")
			if err != nil {
				return err
			}
			known, err := client.Users.LogIn("mia", "password of mia")
			if err != nil {
				return err
			}
			same, err := client.Users.Become(made.SessionToken)
			if err != nil {
				return err
			}
			return first(
				expect("the id", known.ID, made.ID),
				expect("the token", known.SessionToken, made.SessionToken),
				expect("the id of who became", same.ID, made.ID),
				expect("the name", same.String("username"), "mia"),
			)
		}},
		{"is told why a login is refused", func() error {
			_, err := client.Users.LogIn("mia", "wrong")
			_, unknown := client.Users.LogIn("nobody", "wrong")
			_, stale := client.Users.Become("none of anybody")
			_, taken := client.Users.SignUp("mia", "again")
			return first(refusedWith(210, err), refusedWith(211, unknown), refusedWith(211, stale), refusedWith(202, taken))
		}},
		{"changes users, with their session alone", func() error {
			user, err := signUp("leo")
			if err != nil {
				return err
			}
			ref := client.Users.ID(user.ID)
			if err := refusedWith(206, ref.Set("nickname", "Eve")); err != nil {
				return err
			}
			session := leancloud.UseUser(user)
			if err := ref.Set("nickname", "Leo", session); err != nil {
				return err
			}
			if err := ref.Update(map[string]interface{}{"age": 7}, session); err != nil {
				return err
			}
			var read person
			if err := ref.Get(&read, leancloud.UseMasterKey(true)); err != nil {
				return err
			}
			return first(
				expect("the nickname", read.Nickname, "Leo"),
				expect("the age", read.Float("age"), 7),
				expect("the token, which the master key is shown", read.SessionToken, user.SessionToken),
			)
		}},
		{"deletes users", func() error {
			user, err := signUp("gone")
			if err != nil {
				return err
			}
			if err := client.Users.ID(user.ID).Destroy(leancloud.UseUser(user)); err != nil {
				return err
			}
			_, err = client.Users.LogIn("gone", "password of gone")
			return refusedWith(211, err)
		}},
		{"asks for mails of addresses that there are", func() error {
			return first(
				refusedWith(205, client.Users.RequestPasswordReset("nobody@example.org")),
				refusedWith(205, client.Users.RequestEmailVerify("nobody@example.org")),
			)
		}},
		{"is told that a number belongs to nobody", func() error {
			return first(
				refusedWith(213, client.Users.RequestLoginSMSCode("13900001111")),
				refusedWith(213, client.Users.RequestPasswordResetBySMSCode("13900001111")),
			)
		}},
	}
}
