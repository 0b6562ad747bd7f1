import type { Translated } from '../../../i18n/translated.ts'
import type { connectEn } from './en.ts'

export const connectZh: Translated<typeof connectEn> = {
  title: '接入应用',
  about:
    '各个 SDK 的初始化代码，已填入本服务器的地址以及此应用的 App ID 和 App Key。使用 LeanCloud 的应用无需其他改动。',
  server: '服务器地址',
  serverAbout: '客户端访问服务器所用的地址，下面的代码会随之更新。',
  serverWrong: '请填写类似 https://api.example.org 的地址，不含路径。',
  https: '手机、浏览器和小程序要求使用 HTTPS。发布应用之前，请配置带证书的反向代理。',
  sdk: 'SDK 或程序',
  copy: '复制',
  copyOf: '复制 {{label}}',
  copied: '已复制',
  try: {
    button: '发送测试请求',
    about: '从当前浏览器使用 App Key 发送一个请求：',
    works: '服务器在 {{time}} 内返回了响应。',
    refused: '服务器在 {{time}} 后拒绝了请求，原因见响应内容。',
  },
  sdks: {
    javascript: {
      name: 'JavaScript',
      about:
        '适用于浏览器、Node.js 和 React Native。leancloud-storage 4.3 之前该选项名为 serverURLs；leancloud-realtime 4.x 只填写主机名，且必须支持 HTTPS。',
    },
    miniProgram: {
      name: '小程序',
      about: '请在小程序平台的管理后台将服务器添加为 request（https）和 socket（wss）合法域名。',
    },
    android: { name: 'Java 与 Android', about: '须在调用其他接口之前初始化 SDK，即时通讯和推送使用同一个地址。' },
    swift: { name: 'Swift', about: '须在调用其他接口之前初始化 SDK，例如在 AppDelegate 的开头。' },
    objectiveC: { name: 'Objective-C', about: '须在调用其他接口之前初始化 SDK。12.x 及更早版本使用旧的类名。' },
    csharp: { name: 'C# 与 Unity', about: 'AVClient 是 LeanCloud.Storage 之前的 SDK，仅验证过其数据存储功能。' },
    flutter: {
      name: 'Flutter 与 Dart',
      about: '即时通讯插件由 Android 和 iOS 的原生 SDK 初始化，请参考 Java 和 Swift。',
    },
    python: { name: 'Python', about: '服务器地址通过环境变量设置，init 没有对应的参数。' },
    go: { name: 'Go', about: 'Master Key 只能放在您的服务器的环境变量中。' },
    php: { name: 'PHP', about: 'Master Key 只能放在您的服务器的环境变量中。' },
    rest: {
      name: 'REST API',
      about: '适用于任何能发送 HTTP 请求的程序。使用 Master Key 的请求不受权限限制，只能在您自己的服务器上使用。',
    },
    blogs: {
      name: '博客与评论',
      about: 'Waline 运行在服务端，需要 Master Key；其余程序运行在读者的浏览器中，绝不能包含 Master Key。',
    },
  },
}
