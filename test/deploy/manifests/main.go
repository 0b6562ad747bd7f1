// Checks the manifests of deploy/ with the code of their own tools: Compose files as "docker compose config" does, and Kubernetes
// manifests against the types of the API, without unknown or repeated members. It prints one line of JSON for each file.
//
//	manifests compose deploy/compose/alone/compose.yaml VARIABLE=value …
//	manifests kubernetes deploy/kubernetes/single.yaml
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/cli"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

func main() {
	check := map[string]func() (any, error){"compose": compose, "kubernetes": kubernetes}[os.Args[1]]
	result, err := check()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(result)
}

// Prints the project with all variables replaced and all defaults set.
func compose() (any, error) {
	file := os.Args[2]
	options, err := cli.NewProjectOptions([]string{file},
		cli.WithWorkingDirectory(filepath.Dir(file)), cli.WithEnv(os.Args[3:]), cli.WithInterpolation(true), cli.WithConsistency(true))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(context.Background())
}

// Prints the names of the objects.
func kubernetes() (any, error) {
	text, err := os.ReadFile(os.Args[2])
	if err != nil {
		return nil, err
	}
	kinds := map[string]func() any{
		"v1/ConfigMap":                  func() any { return &corev1.ConfigMap{} },
		"v1/Secret":                     func() any { return &corev1.Secret{} },
		"v1/Service":                    func() any { return &corev1.Service{} },
		"apps/v1/Deployment":            func() any { return &appsv1.Deployment{} },
		"apps/v1/StatefulSet":           func() any { return &appsv1.StatefulSet{} },
		"networking.k8s.io/v1/Ingress":  func() any { return &networkingv1.Ingress{} },
		"policy/v1/PodDisruptionBudget": func() any { return &policyv1.PodDisruptionBudget{} },
	}
	var names []string
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		var head struct{ APIVersion, Kind string }
		if err := strict.Unmarshal(document, &head); err != nil {
			return nil, err
		}
		kind, known := kinds[head.APIVersion+"/"+head.Kind]
		if !known {
			return nil, fmt.Errorf("unknown kind %s/%s", head.APIVersion, head.Kind)
		}
		if err := strict.UnmarshalStrict(document, kind()); err != nil {
			return nil, fmt.Errorf("%s: %w", head.Kind, err)
		}
		names = append(names, head.Kind)
	}
}
