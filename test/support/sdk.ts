import AV from 'leancloud-storage'
import { makeApp, type TestApp } from './app.ts'

/** The SDK's classes by server class name. No type of the package declares it. */
const registry = AV.Object as typeof AV.Object & { _classMap: Record<string, unknown> }
const ownClasses = { ...registry._classMap }

/** Creates an app and configures the published official SDK for it. */
export async function makeSdkApp(): Promise<TestApp> {
  const app = await makeApp()
  await initSdk(app)
  return app
}

/**
 * Configures the official SDK for an app, as if freshly loaded: the test files of a worker share its current user and registered
 * classes.
 */
export async function initSdk({
  appId,
  appKey,
  masterKey,
  url: serverURL,
}: Pick<TestApp, 'appId' | 'appKey' | 'url'> & { readonly masterKey?: string }): Promise<void> {
  const { warn } = console
  // The SDK logs a warning whenever it gets another app.
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

/** Fetches the stored object into a new instance. */
export function stored(object: AV.Object, options: AV.AuthOptions = {}): Promise<AV.Object> {
  return AV.Object.createWithoutData(object.className, object.id!).fetch({}, options)
}
