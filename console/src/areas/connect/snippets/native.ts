import { dart, quoted, type ServerAddress, type Snippet } from './snippet.ts'

export function android({ serverUrl, appId, appKey }: ServerAddress): Snippet[] {
  const keys = `${quoted(appId)}, ${quoted(appKey)}, ${quoted(serverUrl)}`
  return [
    {
      label: 'Android 8.x',
      code: `public class MyApplication extends Application {
  @Override
  public void onCreate() {
    super.onCreate();
    LeanCloud.initialize(this, ${keys});
  }
}`,
    },
    {
      label: 'Java 8.x',
      code: `LeanCloud.initialize(${keys});

LCObject post = new LCObject("Post");
post.put("title", "Hello");
post.save();`,
    },
    { label: 'Java 5.x – 7.x', code: `AVOSCloud.initialize(${keys});` },
  ]
}

export function swift({ serverUrl, appId, appKey }: ServerAddress): Snippet[] {
  return [
    {
      code: `import LeanCloud

try LCApplication.default.set(
  id: ${quoted(appId)},
  key: ${quoted(appKey)},
  serverURL: ${quoted(serverUrl)}
)

let post = LCObject(className: "Post")
try post.set("title", value: "Hello")
_ = post.save { result in print(result) }`,
    },
  ]
}

export function objectiveC({ serverUrl, appId, appKey }: ServerAddress): Snippet[] {
  const call = (application: string) => `[${application} setApplicationId:@${quoted(appId)}
                        clientKey:@${quoted(appKey)}
                  serverURLString:@${quoted(serverUrl)}];`
  return [
    {
      label: '13.x',
      code: `${call('LCApplication')}

LCObject *post = [LCObject objectWithClassName:@"Post"];
[post setObject:@"Hello" forKey:@"title"];
[post saveInBackground];`,
    },
    { label: '12.x', code: call('AVOSCloud') },
  ]
}

export function csharp({ serverUrl, appId, appKey }: ServerAddress): Snippet[] {
  return [
    {
      label: 'LeanCloud.Storage, LeanCloud.Realtime',
      code: `using LeanCloud;
using LeanCloud.Storage;

LCApplication.Initialize(${quoted(appId)}, ${quoted(appKey)}, ${quoted(serverUrl)});

LCObject post = new LCObject("Post");
post["title"] = "Hello";
await post.Save();`,
    },
    {
      label: 'AVClient',
      code: `AVClient.Initialize(new AVClient.Configuration {
  ApplicationId = ${quoted(appId)},
  ApplicationKey = ${quoted(appKey)},
  ApiServer = new Uri(${quoted(serverUrl)}),
  EngineServer = new Uri(${quoted(serverUrl)})
});`,
    },
  ]
}

export function flutter({ serverUrl, appId, appKey }: ServerAddress): Snippet[] {
  return [
    {
      label: 'main.dart',
      code: `import 'package:leancloud_storage/leancloud.dart';

LeanCloud.initialize(${dart(appId)}, ${dart(appKey)}, server: ${dart(serverUrl)});

LCObject post = LCObject('Post');
post['title'] = 'Hello';
await post.save();`,
    },
  ]
}
