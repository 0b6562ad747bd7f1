import { callApp } from '../../api/apps.ts'
import { Problem } from '../../api/request.ts'

interface Token {
  readonly objectId: string
  readonly token: string
  /** The upload URL; only its path is used, because the console can send only to its own server. */
  readonly upload_url: string
}

/**
 * Uploads a file as SDKs do: requests a token, sends the bytes, and reports completion. Its size is not declared, because the
 * bytes might then have to go directly to another store.
 * @param onProgress called with the sent share, 0 to 1
 * @returns the id of its record
 * @throws Problem; an AbortError when it was canceled
 */
export async function uploadFile(
  appId: string,
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const { objectId, token, upload_url } = await callApp<Token>(appId, 'POST', '/1.1/fileTokens', {
    body: { name: file.name, ...(file.type ? { mime_type: file.type } : {}), __type: 'File' },
    signal,
  })
  await send(new URL(upload_url, location.href).pathname, file, onProgress, signal)
  await callApp(appId, 'POST', '/1.1/fileCallback', { body: { token, result: true }, signal })
  return objectId
}

/** Sends a file by XMLHttpRequest, because `fetch` reports no progress. */
function send(path: string, file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const cancel = () => request.abort()
    signal.addEventListener('abort', cancel)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
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
