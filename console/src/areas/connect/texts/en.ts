export const connectEn = {
  title: 'Connect your app',
  about:
    'Code for each SDK, with the address of this server and the ID and app key of this app. Apps that ran on the hosted service need no other change.',
  server: 'Address of the server',
  serverAbout: 'As your clients reach it; the code below takes it over.',
  serverWrong: 'An address such as https://api.example.org, without a path.',
  https:
    'Phones, browsers and mini-programs want HTTPS. Put a reverse proxy with a certificate in front before you ship an app.',
  sdk: 'SDK or program',
  copy: 'Copy',
  copyOf: 'Copy {{label}}',
  copied: 'Copied',
  try: {
    button: 'Try it',
    about: 'Sends a request from this browser with the app key:',
    works: 'The server answered in {{time}}.',
    refused: 'The server refused it after {{time}}. The answer says why.',
  },
  sdks: {
    javascript: {
      name: 'JavaScript',
      about:
        'Browsers, Node.js, React Native. Before 4.3, leancloud-storage calls the option serverURLs. leancloud-realtime 4.x takes a bare host, which must have HTTPS.',
    },
    miniProgram: {
      name: 'Mini-programs',
      about: 'Enter the server in the console of the platform as a domain for requests (https) and for sockets (wss).',
    },
    android: {
      name: 'Java and Android',
      about: 'Before anything else is called. Messaging and push take the same address.',
    },
    swift: { name: 'Swift', about: 'Before anything else is called, such as at the start of the AppDelegate.' },
    objectiveC: {
      name: 'Objective-C',
      about: 'Before anything else is called. Up to 12.x the same goes by older names.',
    },
    csharp: {
      name: 'C# and Unity',
      about: 'AVClient is the SDK before LeanCloud.Storage; of it, only storage is known to work.',
    },
    flutter: {
      name: 'Flutter and Dart',
      about: 'The plugin for chats is initialised by the SDKs of Android and iOS; see Java and Swift.',
    },
    python: { name: 'Python', about: 'The address is in an environment variable; init has no parameter for it.' },
    go: { name: 'Go', about: 'The master key belongs in the environment of the server and nowhere else.' },
    php: { name: 'PHP', about: 'The master key belongs in the environment of the server and nowhere else.' },
    rest: {
      name: 'REST API',
      about:
        'Any program that speaks HTTP. With the master key, from your own servers alone, no permission is checked.',
    },
    blogs: {
      name: 'Blogs and comments',
      about:
        'Waline runs on a server and takes the master key there; the others run in the pages of your readers and never get it.',
    },
  },
}
