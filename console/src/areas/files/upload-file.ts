import { callApp } from '../../api/apps.ts'
import { Problem } from '../../api/request.ts'

interface Token {
  readonly objectId: string
  readonly token: string
  /** Where the bytes go; only its path counts, because a page of the console may send to its own server alone. */
  readonly upload_url: string
}

/**
 * Uploads a file as SDKs do: asks for a token, sends the bytes, says that it is done. Its size is not said beforehand, for
 * then the bytes might have to go straight to another store.
 * @param told called with the share that is sent, 0 to 1
 * @returns the id of its record
 * @throws Problem; an AbortError when it was cancelled
 */
export async function uploadFile(
  appId: string,
  file: File,
  told: (share: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const { objectId, token, upload_url } = await callApp<Token>(appId, 'POST', '/1.1/fileTokens', {
    body: { name: file.name, ...(file.type ? { mime_type: file.type } : {}), __type: 'File' },
    signal,
  })
  await send(new URL(upload_url, location.href).pathname, file, told, signal)
  await callApp(appId, 'POST', '/1.1/fileCallback', { body: { token, result: true }, signal })
  return objectId
}

/** `fetch` does not tell how much is sent. */
function send(path: string, file: File, told: (share: number) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const cancel = () => request.abort()
    signal.addEventListener('abort', cancel)
    request.upload.onprogress = ({ loaded, total }) => told(total === 0 ? 1 : loaded / total)
    request.onload = () => (request.status < 300 ? resolve() : reject(problemOf(request)))
    request.onerror = () => reject(new Problem(0, null, ''))
    request.onabort = () => reject(new DOMException('', 'AbortError'))
    request.onloadend = () => signal.removeEventListener('abort', cancel)
    request.open('PUT', path)
    request.setRequestHeader('content-type', file.type || 'application/octet-stream')
    request.send(file)
  })
}

function problemOf({ status, responseText }: XMLHttpRequest): Problem {
  try {
    const { code, error } = JSON.parse(responseText) as { code?: number; error?: string }
    return new Problem(status, code ?? null, error ?? responseText)
  } catch {
    return new Problem(status, null, responseText.slice(0, 300))
  }
}
