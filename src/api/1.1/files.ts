import { errors } from '../../errors.ts'
import { censorFile } from '../../files/censor.ts'
import { fileUrl } from '../../files/file-url.ts'
import { storeContent } from '../../files/uploads/store-content.ts'
import { createObject } from '../../objects/writing/create.ts'
import { presentCreated } from '../../objects/writing/present-created.ts'
import { decodeBase64 } from '../../values/decode-base64.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../values/json.ts'
import { checkObjectId } from '../../values/names.ts'
import { type Answer, type Call, created, JsonText, ok, RawBody } from '../call.ts'
import { parametersOfForm } from '../parameters.ts'
import { masterRoute, type Route, route } from '../route.ts'
import { fileInForm } from '../transfer/file-in-form.ts'
import { type ObjectActions, objectRoutes, PLAIN_ACTIONS } from './classes.ts'

/**
 * Size in characters from which on a body with a base64 file counts as heavy, because the file is decoded, hashed and
 * written.
 */
const HEAVY_FILE = 256 * 1024

const FORM = 'application/x-www-form-urlencoded'

const actions: ObjectActions = { ...PLAIN_ACTIONS, create: (call) => create(call, call.body) }

/** File records (protocol/files, External files): objects of `_File`, also under a separate path. */
export const files: readonly Route[] = [
  ...['/1.1/files', '/1.1/classes/_File', '/1.1/classes/files', '/1.1/classes/_file'].flatMap((path) =>
    objectRoutes(path, () => '_File', actions),
  ),
  masterRoute({
    method: 'POST',
    path: '/1.1/files/:objectId/censor',
    rate: 'writes',
    handler: async (call) =>
      ok({ censorResult: await censorFile(call.app.objects, checkObjectId(call.params.objectId)) }),
  }),
  // The JavaScript SDK before 4.8 puts the name, including slashes, into the path (protocol/files, External files).
  route({
    method: 'POST',
    path: '/1.1/files/*',
    rate: 'writes',
    takesBytes: (contentType) => !contentType.includes('json'),
    heavyFrom: HEAVY_FILE,
    handler: createNamed,
  }),
]

/**
 * Creates a file record. The response contains the record, because SDKs replace their `url` and `name` by it
 * (protocol/files, External files).
 */
async function create({ app, caller }: Call, body: unknown): Promise<Answer> {
  const made = await createObject(app.objects, '_File', body, caller)
  return created('_File', made.id, new JsonText(await presentCreated(app.objects, made, caller)))
}

/** Stores the content sent to this path by early clients: raw, in a form or in base64 (protocol/files, Other requests). */
async function createNamed(call: Call): Promise<Answer> {
  const name = call.params['*']!
  const body = call.body instanceof RawBody ? (describedFile(call.body) ?? call.body) : call.body
  if (body instanceof RawBody) {
    const { contentType } = body
    const isForm = contentType?.startsWith('multipart/form-data') === true
    const file = isForm ? await fileInForm(body.bytes, contentType) : body
    // `curl --data-binary` sends the type of a form for any content.
    const mimeType = contentType?.startsWith(FORM) ? null : file.contentType
    return store(call, file.bytes, { name, mime_type: mimeType })
  }
  if (isJsonObject(body) && typeof body.base64 === 'string') {
    const { metaData, ACL, base64 } = body
    const mimeType = body.mime_type ?? body._ContentType
    return store(call, await bytesOfBase64(base64 as string), {
      name: body.name ?? name,
      mime_type: mimeType,
      metaData,
      ACL,
    })
  }
  if (!isJsonObject(body) || typeof body.url !== 'string')
    throw errors.badArgument(
      "The content of the file is missing: send it as the body, as 'base64', or as 'url', an http or https URL.",
    )
  return create(call, { ...body, name: body.name ?? name })
}

/**
 * Returns the object that describes a file, from a body that is not labeled as JSON: an object with `url` or `base64` without a
 * Content-Type, or with that of a form. Null when the body is the content of the file.
 */
function describedFile({ bytes, contentType }: RawBody): JsonObject | null {
  if (contentType !== null && !contentType.startsWith(FORM)) return null
  const start = bytes.toString('latin1', 0, 200)
  const isJson = /^\s*\{/.test(start)
  if (!isJson && (contentType === null || !/^\w+=/.test(start))) return null
  try {
    const text = bytes.toString('utf8')
    const described = isJson ? parseJson(text, 'The body') : { ...parametersOfForm(text) }
    return isJsonObject(described) && (described.url || described.base64) ? described : null
  } catch {
    return null
  }
}

/** @throws ApiError 1 */
async function bytesOfBase64(text: string): Promise<Buffer> {
  // The JavaScript SDK sends data URLs, as browsers provide them.
  const bytes = await decodeBase64(text.replace(/^data:[^,]{0,1000},/, ''))
  if (bytes === null) throw errors.badArgument("'base64' must be valid base64.")
  return bytes
}

async function store(
  { app, caller, baseUrl }: Call,
  bytes: Buffer,
  wanted: { readonly [name: string]: unknown },
): Promise<Answer> {
  const { objectId, createdAt, key, name, mimeType } = await storeContent(app.files, bytes, wanted, caller)
  const url = fileUrl(app.files.hosts(), app.id, key, caller, baseUrl)
  return created('_File', objectId, { objectId, createdAt, url, name, key, mime_type: mimeType, size: bytes.length })
}
