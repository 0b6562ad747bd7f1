import AV from 'leancloud-storage'
import { makeApp, type TestApp } from './app.ts'

/** Makes an app and lets the official SDK, as it is published, talk to it. */
export async function makeSdkApp(): Promise<TestApp> {
  const app = await makeApp()
  AV.init({ appId: app.appId, appKey: app.appKey, masterKey: app.masterKey, serverURL: app.url })
  return app
}

/** Saves an object of a class with these fields. */
export function save(className: string, fields: object, options: AV.AuthOptions = {}): Promise<AV.Object> {
  return new AV.Object(className).save(fields, options)
}

/** The object as it is stored, in an instance that knows nothing else. */
export function stored(object: AV.Object, options: AV.AuthOptions = {}): Promise<AV.Object> {
  return AV.Object.createWithoutData(object.className, object.id!).fetch({}, options)
}
