export const connectEn = {
  title: 'Connect your app',
  about:
    'Initialization code for each SDK, with the URL of this server and the ID and app key of this app. Apps that used LeanCloud need no other change.',
  server: 'Server URL',
  serverAbout: 'The URL that clients use. The code below is updated with it.',
  serverWrong: 'Enter a URL such as https://api.example.org, without a path.',
  https:
    'Phones, browsers and mini-programs require HTTPS. Set up a reverse proxy with a certificate before you publish an app.',
  sdk: 'SDK or program',
  copy: 'Copy',
  copyOf: 'Copy {{label}}',
  copied: 'Copied',
  try: {
    button: 'Send test request',
    about: 'Sends a request from this browser with the app key:',
    works: 'The server responded in {{time}}.',
    refused: 'The server rejected the request after {{time}}. See the response for the reason.',
  },
  sdks: {
    javascript: {
      name: 'JavaScript',
      about:
        'For browsers, Node.js and React Native. In leancloud-storage before 4.3, the option is named serverURLs. leancloud-realtime 4.x takes a host name without a scheme, which must support HTTPS.',
    },
    miniProgram: {
      name: 'Mini-programs',
      about:
        'In the console of the platform, add the server to the request domains (https) and the socket domains (wss).',
    },
    android: {
      name: 'Java and Android',
      about: 'Initialize the SDK before any other call. Messaging and push use the same URL.',
    },
    swift: {
      name: 'Swift',
      about: 'Initialize the SDK before any other call, such as at the start of the AppDelegate.',
    },
    objectiveC: {
      name: 'Objective-C',
      about: 'Initialize the SDK before any other call. Versions up to 12.x use older class names.',
    },
    csharp: {
      name: 'C# and Unity',
      about: 'AVClient is the predecessor of LeanCloud.Storage. Only its data storage has been verified to work.',
    },
    flutter: {
      name: 'Flutter and Dart',
      about: 'The messaging plugin is initialized by the Android and iOS SDKs. See Java and Swift.',
    },
    python: { name: 'Python', about: 'The URL is set in an environment variable; init has no parameter for it.' },
    go: { name: 'Go', about: 'Keep the master key in the environment of your server only.' },
    php: { name: 'PHP', about: 'Keep the master key in the environment of your server only.' },
    rest: {
      name: 'REST API',
      about:
        'For any program that sends HTTP requests. Requests with the master key bypass all permissions. Use it on your own servers only.',
    },
    blogs: {
      name: 'Blogs and comments',
      about:
        'Waline runs on a server and needs the master key there. The others run in the browsers of your readers and must never contain it.',
    },
  },
}
