import AV from 'leancloud-storage'
import { makeApp, type TestApp } from './app.ts'

/** Classes of the SDK by the names of their classes on the server. Declared by no type of the package. */
const registry = AV.Object as typeof AV.Object & { _classMap: Record<string, unknown> }
const ownClasses = { ...registry._classMap }

/** Makes an app and lets the official SDK, as it is published, talk to it. */
export async function makeSdkApp(): Promise<TestApp> {
  const app = await makeApp()
  await initSdk(app)
  return app
}

/**
 * Lets the official SDK talk to an app, as if it had just been loaded: the test files of a worker share it, with its current
 * user and registered classes.
 */
export async function initSdk({
  appId,
  appKey,
  masterKey,
  url: serverURL,
}: Pick<TestApp, 'appId' | 'appKey' | 'url'> & { readonly masterKey?: string }): Promise<void> {
  const { warn } = console
  // It warns whenever it gets another app.
  console.warn = () => {}
  try {
    AV.init({ appId, appKey, serverURL, ...(masterKey !== undefined && { masterKey }) })
  } finally {
    console.warn = warn
  }
  registry._classMap = { ...ownClasses }
  await AV.User.logOut()
}

/** Saves an object of a class with these fields. */
export function save(className: string, fields: object, options: AV.AuthOptions = {}): Promise<AV.Object> {
  return new AV.Object(className).save(fields, options)
}

/** The object as it is stored, in an instance that knows nothing else. */
export function stored(object: AV.Object, options: AV.AuthOptions = {}): Promise<AV.Object> {
  return AV.Object.createWithoutData(object.className, object.id!).fetch({}, options)
}
