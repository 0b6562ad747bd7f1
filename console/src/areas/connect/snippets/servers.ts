import { MASTER_KEY, type Place, quoted, type Snippet } from './snippet.ts'

/** What runs where nobody but its owner looks, and may hold the master key. */
export function python({ serverUrl, appId, appKey }: Place): Snippet[] {
  return [
    { label: 'pip', code: 'pip install leancloud' },
    {
      label: 'app.py',
      code: `import leancloud

leancloud.init(${quoted(appId)}, app_key=${quoted(appKey)})

Post = leancloud.Object.extend("Post")
post = Post()
post.set("title", "Hello")
post.save()`,
    },
    { label: 'sh', code: `LEANCLOUD_API_SERVER=${serverUrl} python app.py` },
  ]
}

export function go({ serverUrl, appId, appKey }: Place): Snippet[] {
  return [
    { label: 'go get', code: 'go get github.com/leancloud/go-sdk' },
    {
      label: 'main.go',
      code: `client := leancloud.NewClient(&leancloud.ClientOptions{
	AppID:     ${quoted(appId)},
	AppKey:    ${quoted(appKey)},
	MasterKey: os.Getenv("LEANCLOUD_APP_MASTER_KEY"),
	ServerURL: ${quoted(serverUrl)},
})

post, err := client.Class("Post").Create(map[string]interface{}{"title": "Hello"})`,
    },
  ]
}

export function php({ serverUrl, appId, appKey }: Place): Snippet[] {
  return [
    {
      code: `use LeanCloud\\Client;
use LeanCloud\\LeanObject;

Client::initialize(${quoted(appId)}, ${quoted(appKey)}, getenv("LEANCLOUD_APP_MASTER_KEY"));
Client::setServerUrl(${quoted(serverUrl)});

$post = new LeanObject("Post");
$post->set("title", "Hello");
$post->save();`,
    },
  ]
}

export function rest({ serverUrl, appId, appKey }: Place): Snippet[] {
  const headers = `-H 'X-LC-Id: ${appId}' -H 'X-LC-Key: ${appKey}'`
  return [
    {
      label: 'POST',
      code: `curl -X POST ${headers} \\
  -H 'Content-Type: application/json' -d '{"title":"Hello"}' \\
  ${serverUrl}/1.1/classes/Post`,
    },
    { label: 'GET', code: `curl ${headers} '${serverUrl}/1.1/classes/Post?limit=10'` },
    {
      label: 'Master Key',
      code: `curl -H 'X-LC-Id: ${appId}' -H 'X-LC-Key: ${MASTER_KEY},master' '${serverUrl}/1.1/classes/Post?limit=10'`,
    },
  ]
}
