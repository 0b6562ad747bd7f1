import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The store of file contents, as configured by the administrator. */
export type FilesPlace = FolderPlace | S3Place

interface FolderPlace {
  readonly kind: 'folder'
  /** Absolute path. */
  readonly path: string
}

export interface S3Place {
  readonly kind: 's3'
  readonly bucket: string
  /** Precedes every key, without leading or trailing slashes; may be empty. */
  readonly prefix: string
  /** null: from the environment of the AWS tools. */
  readonly region: string | null
  /** URL of a store other than Amazon's; null for Amazon's. */
  readonly endpoint: string | null
  /** Whether the bucket is in the path of URLs rather than in the host name. */
  readonly pathStyle: boolean
  /** null: from the environment, or the other sources of AWS tools. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null
}

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/
const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/(?=.)|$))*$/
const LONGEST_PREFIX = 200
const REGION = /^[A-Za-z0-9-]{1,64}$/
const PARAMETERS = ['region', 'endpoint', 'pathStyle']

/**
 * Parses `file:///shared/folder` or `s3://bucket/prefix?region=…&endpoint=https://…&pathStyle=true`, with an optional
 * `KEY:SECRET@` before the bucket.
 * @throws Error that says what is wrong without quoting the URL, which may hold a secret
 */
export function parseFilesUrl(text: string): FilesPlace {
  if (!URL.canParse(text))
    throw new Error('it must be a URL; in a key or secret, write / + @ and : as %2F %2B %40 and %3A')
  const url = new URL(text)
  if (url.protocol === 'file:') return folderPlace(url)
  if (url.protocol === 's3:') return s3Place(url)
  throw new Error('it must begin with s3: or file:')
}

/** Returns whether a text is a URL with a user name or password, or looks like one. */
export function holdsCredentials(text: string): boolean {
  if (URL.canParse(text)) {
    const { username, password } = new URL(text)
    return username !== '' || password !== ''
  }
  return text.includes('@')
}

function folderPlace(url: URL): FolderPlace {
  if (url.search !== '' || url.hash !== '')
    throw new Error('the URL of a folder must not contain a query or a fragment')
  let path: string
  try {
    path = fileURLToPath(url)
  } catch {
    throw new Error('the URL of a folder must have three slashes and an absolute path: file:///shared/files')
  }
  if (!isAbsolute(path) || path.includes('\0') || resolve(path) === resolve('/'))
    throw new Error('the folder must not be the root of the file system')
  return { kind: 'folder', path: resolve(path) }
}

function s3Place(url: URL): S3Place {
  const strange = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name))
  if (strange !== undefined) throw new Error(`its parameters must be ${PARAMETERS.join(', ')}`)
  if (!BUCKET.test(url.hostname) || url.port !== '' || url.hash !== '')
    throw new Error('the bucket name after s3:// must have 3 to 63 letters, digits, dots or hyphens')
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '')
  if (!PREFIX.test(prefix) || prefix.length > LONGEST_PREFIX)
    throw new Error(`the prefix after the bucket must have at most ${LONGEST_PREFIX} letters, digits, . _ - and /`)
  const region = url.searchParams.get('region')
  if (region !== null && !REGION.test(region)) throw new Error('region must be a name such as eu-central-1')
  const pathStyle = url.searchParams.get('pathStyle') ?? 'false'
  if (pathStyle !== 'true' && pathStyle !== 'false') throw new Error('pathStyle must be true or false')
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix,
    region,
    endpoint: endpointOf(url),
    pathStyle: pathStyle === 'true',
    credentials: credentialsOf(url),
  }
}

function endpointOf(url: URL): string | null {
  const text = url.searchParams.get('endpoint')
  if (text === null) return null
  const endpoint = URL.canParse(text) ? new URL(text) : null
  const plain = endpoint && !holdsCredentials(text) && endpoint.search === '' && endpoint.hash === ''
  if (!plain || !/^https?:$/.test(endpoint.protocol))
    throw new Error('endpoint must be an http or https URL such as https://s3.example.org, without credentials')
  return endpoint.href.replace(/\/+$/, '')
}

function credentialsOf(url: URL): S3Place['credentials'] {
  if (url.username === '' && url.password === '') return null
  try {
    const accessKeyId = decodeURIComponent(url.username)
    const secretAccessKey = decodeURIComponent(url.password)
    if (accessKeyId !== '' && secretAccessKey !== '') return { accessKeyId, secretAccessKey }
  } catch {
    // An invalid percent encoding: reported below.
  }
  throw new Error(
    'the credentials before the bucket must be a key and its secret, percent-encoded, as in s3://KEY:SECRET@bucket',
  )
}
