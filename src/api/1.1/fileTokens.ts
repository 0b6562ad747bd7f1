import { fileUrl } from '../../files/file-url.ts'
import { BUCKET, beginUpload } from '../../files/uploads/begin-upload.ts'
import { type Answer, type Call, ok } from '../call.ts'
import { typedFields } from '../request-fields.ts'
import { route } from '../route.ts'

const TYPES = { keep_file_name: 'flag', metaData: 'json', ACL: 'json' } as const

/** POST /1.1/fileTokens — what a client needs to upload a file (protocol/files, Upload). */
export const fileTokens = route({ method: 'POST', path: '/1.1/fileTokens', rate: 'writes', handler: giveToken })

/**
 * Java takes no members of the answer but texts and numbers, Python keeps `metaData` as it has it when there is none, and
 * others take what they know and leave the rest.
 */
export async function giveToken({ app, caller, parameters, baseUrl, userAgent }: Call): Promise<Answer> {
  const { files } = app
  const upload = await beginUpload(files, typedFields(parameters, TYPES), caller, userAgent)
  return ok({
    objectId: upload.objectId,
    createdAt: upload.createdAt,
    key: upload.key,
    url: fileUrl(files.hosts(), app.id, upload.key, caller, baseUrl),
    name: upload.name,
    mime_type: upload.mimeType,
    bucket: BUCKET,
    provider: upload.provider,
    upload_url: upload.directUrl ?? `${baseUrl}/uploads/${app.id}/${upload.token}`,
    token: upload.token,
  })
}
