import { readFileSync } from 'node:fs'
import { createContext, runInContext, Script } from 'node:vm'
import { WebSocket } from 'ws'

type Callback = (argument?: unknown) => void

/** The options of `wx.uploadFile`. */
interface UploadOptions {
  readonly url: string
  readonly filePath: string
  /** The name of the form field with the file. */
  readonly name: string
  readonly header?: Readonly<Record<string, string>>
  readonly formData?: Readonly<Record<string, string>>
  readonly success?: Callback
  readonly fail?: Callback
  readonly complete?: Callback
}

interface RequestOptions {
  readonly url: string
  readonly method?: string
  readonly data?: unknown
  readonly header?: Readonly<Record<string, string>>
  readonly protocols?: readonly string[]
  readonly success?: Callback
  readonly fail?: Callback
  /** Called with the argument of either of the two. */
  readonly complete?: Callback
}

/** Builds log a warning about missing platform features on every request. */
const QUIET = { ...console, log: () => {}, warn: () => {} }
/** The platform defines these names as undefined in modules. */
const HIDDEN = 'window, document, navigator, location, localStorage, history, self, fetch, XMLHttpRequest, WebSocket'

/**
 * Loads a build for mini-programs with only the features of their platform: no window, no document, no XMLHttpRequest, no
 * WebSocket, no require. `wx` sends requests and opens sockets over the real network.
 * @param file CommonJS, whose exports are available as `AV`
 * @param adapters CommonJS with the platform adapters
 */
export function loadMiniProgram(file: string, adapters?: string): { evaluate(program: string): Promise<unknown> } {
  const context = createContext({ console: QUIET, setTimeout, clearTimeout, setInterval, clearInterval })
  // Values checked by `instanceof` must come from the program's own realm.
  const [parse, newArrayBuffer] = [
    runInContext('JSON.parse', context) as (text: string) => unknown,
    runInContext('(bytes) => Uint8Array.from(bytes).buffer', context) as (bytes: Uint8Array) => ArrayBuffer,
  ]
  Object.assign(context, { wx: platform(parse, newArrayBuffer) })
  const load = (path: string) => {
    const module = `((module, exports, ${HIDDEN}) => {${readFileSync(path, 'utf8')}
      return module.exports
    })`
    const exports = runInContext('({})', context)
    return new Script(module, { filename: path }).runInContext(context)({ exports }, exports)
  }
  Object.assign(context, { AV: load(file) })
  if (adapters !== undefined) context.AV.setAdapters(load(adapters))
  return { evaluate: (program) => runInContext(program, context) as Promise<unknown> }
}

/** Returns the members of WeChat's `wx` that clients use. */
function platform(parse: (text: string) => unknown, newArrayBuffer: (bytes: Uint8Array) => ArrayBuffer) {
  const store = new Map<string, unknown>()
  const sockets = socketsOf(newArrayBuffer)
  return {
    getStorageSync: (key: string) => store.get(key) ?? '',
    setStorageSync: (key: string, value: unknown) => void store.set(key, value),
    removeStorageSync: (key: string) => void store.delete(key),
    clearStorageSync: () => store.clear(),
    request: (options: RequestOptions) => send(options, parse),
    canIUse: () => true,
    getNetworkType: ({ success }: { success: Callback }) => success({ networkType: 'wifi' }),
    onNetworkStatusChange: () => {},
    getSystemInfo: ({ success }: { success: Callback }) => success({ platform: 'devtools', SDKVersion: '2.10.0' }),
    getSystemInfoSync: () => ({ platform: 'devtools', SDKVersion: '2.10.0' }),
    login: ({ success }: { success: Callback }) => success({ code: 'a code of the platform' }),
    ...filesOf(),
    ...sockets,
  }
}

/** Returns `wx.getFileSystemManager` with files in memory, and `wx.uploadFile`, which posts one of them as a form. */
function filesOf() {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    getFileSystemManager: () => ({
      writeFileSync: (path: string, data: ArrayBuffer) => void files.set(path, new Uint8Array(data)),
    }),
    uploadFile({ url, filePath, name, header, formData, success, fail, complete }: UploadOptions) {
      const abort = new AbortController()
      const callbacks: Callback[] = []
      const posted = async () => {
        const bytes = files.get(filePath)
        if (!bytes) throw new Error(`there is no file ${filePath}`)
        const form = new FormData()
        for (const [field, value] of Object.entries(formData ?? {})) form.append(field, value)
        form.append(name, new Blob([bytes]), filePath.split('/').at(-1))
        const { signal } = abort
        const response = await fetch(url, { method: 'POST', body: form, signal, ...(header && { headers: header }) })
        const sizes = { totalBytesSent: bytes.length, totalBytesExpectedToSend: bytes.length }
        for (const callback of callbacks) callback({ progress: 100, ...sizes })
        // The response to an upload is passed as text.
        return { statusCode: response.status, data: await response.text() }
      }
      posted()
        .then(success, (error: Error) => fail?.({ errMsg: `uploadFile:fail ${error.message}` }))
        .finally(() => complete?.())
      return {
        abort: () => abort.abort(),
        onProgressUpdate: (callback: Callback) => void callbacks.push(callback),
      }
    },
  }
}

/** Implements `wx.request`: an object is sent as JSON, or in the query of a GET, and a JSON response is returned as an object. */
function send(options: RequestOptions, parse: (text: string) => unknown) {
  const { url, method = 'GET', data, header = {}, success, fail, complete } = options
  const abort = new AbortController()
  const target = new URL(url)
  const inQuery = method === 'GET' && typeof data === 'object' && data !== null
  if (inQuery) for (const [key, value] of Object.entries(data)) target.searchParams.set(key, String(value))
  const body = typeof data === 'string' ? data : JSON.stringify(data)
  const hasBody = method !== 'GET' && data !== undefined && data !== ''
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const [name, value] of Object.entries(header)) headers.set(name, value)
  const answered = async () => {
    const response = await fetch(target, { method, headers, signal: abort.signal, ...(hasBody && { body }) })
    const text = await response.text()
    const { status: statusCode } = response
    return { statusCode, header: Object.fromEntries(response.headers), data: parsed(text, parse) }
  }
  const invoke = (callback: Callback | undefined, argument: unknown) => {
    callback?.(argument)
    complete?.(argument)
  }
  answered().then(
    (answer) => invoke(success, answer),
    (error: Error) => invoke(fail, { errMsg: `request:fail ${error.message}` }),
  )
  return { abort: () => abort.abort() }
}

function parsed(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch {
    return text
  }
}

/** Implements `wx.connectSocket` with its returned task, and the single socket of older versions with events on `wx`. */
function socketsOf(newArrayBuffer: (bytes: Uint8Array) => ArrayBuffer) {
  const old: Record<'open' | 'message' | 'error' | 'close', Callback> = {
    open: () => {},
    message: () => {},
    error: () => {},
    close: () => {},
  }
  let last: WebSocket | undefined
  return {
    connectSocket({ url, protocols = [], success }: RequestOptions) {
      // The platform delivers each message in a separate task. `ws` delivers messages that arrive together in one iteration of
      // the event loop: then a client still processing the first message queries its conversation, and treats that response as
      // newer than the second message.
      const socket = new WebSocket(url, [...protocols], { allowSynchronousEvents: false })
      last = socket
      const callbacks = { open: [old.open], message: [old.message], error: [old.error], close: [old.close] }
      const invoke = (event: keyof typeof callbacks, argument: unknown) => {
        for (const callback of callbacks[event]) callback(argument)
      }
      socket.on('open', () => invoke('open', {}))
      socket.on('message', (data: Buffer, isBinary) =>
        invoke('message', { data: isBinary ? newArrayBuffer(data) : data.toString() }),
      )
      socket.on('error', (error) => invoke('error', { errMsg: error.message }))
      socket.on('close', (code, reason) => invoke('close', { code, reason: reason.toString() }))
      success?.()
      return {
        onOpen: (callback: Callback) => void callbacks.open.push(callback),
        onMessage: (callback: Callback) => void callbacks.message.push(callback),
        onError: (callback: Callback) => void callbacks.error.push(callback),
        onClose: (callback: Callback) => void callbacks.close.push(callback),
        send: ({ data }: { data: string | ArrayBuffer }) =>
          socket.send(typeof data === 'string' ? data : new Uint8Array(data)),
        close: ({ code = 1000, reason = '' } = {}) => socket.close(code, reason),
      }
    },
    onSocketOpen: (callback: Callback) => Object.assign(old, { open: callback }),
    onSocketMessage: (callback: Callback) => Object.assign(old, { message: callback }),
    onSocketError: (callback: Callback) => Object.assign(old, { error: callback }),
    onSocketClose: (callback: Callback) => Object.assign(old, { close: callback }),
    sendSocketMessage: ({ data }: { data: string }) => last?.send(data),
    closeSocket: () => last?.close(1000),
  }
}
