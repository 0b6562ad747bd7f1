import { shellArgument } from '../../../parts/shell-argument.ts'
import { MASTER_KEY, quoted, type ServerAddress, type Snippet, single, word } from './snippet.ts'

/** Returns the snippets for servers, which can contain the master key. */
export function python({ serverUrl, appId, appKey }: ServerAddress): Snippet[] {
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
    { label: 'sh', code: `LEANCLOUD_API_SERVER=${word(serverUrl)} python app.py` },
  ]
}

export function go({ serverUrl, appId, appKey }: ServerAddress): Snippet[] {
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

export function php({ serverUrl, appId, appKey }: ServerAddress): Snippet[] {
  return [
    {
      code: `use LeanCloud\\Client;
use LeanCloud\\LeanObject;

Client::initialize(${single(appId)}, ${single(appKey)}, getenv("LEANCLOUD_APP_MASTER_KEY"));
Client::setServerUrl(${single(serverUrl)});

$post = new LeanObject("Post");
$post->set("title", "Hello");
$post->save();`,
    },
  ]
}

export function rest({ serverUrl, appId, appKey }: ServerAddress): Snippet[] {
  const header = (name: string, value: string) => `-H ${shellArgument(`${name}: ${value}`)}`
  const headers = `${header('X-LC-Id', appId)} ${header('X-LC-Key', appKey)}`
  const posts = `${serverUrl}/1.1/classes/Post`
  return [
    {
      label: 'POST',
      code: `curl -X POST ${headers} \\
  -H 'Content-Type: application/json' -d '{"title":"Hello"}' \\
  ${word(posts)}`,
    },
    { label: 'GET', code: `curl ${headers} ${shellArgument(`${posts}?limit=10`)}` },
    {
      label: 'Master Key',
      code: `curl ${header('X-LC-Id', appId)} ${header('X-LC-Key', `${MASTER_KEY},master`)} ${shellArgument(`${posts}?limit=10`)}`,
    },
  ]
}
