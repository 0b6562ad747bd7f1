import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import type { S3 } from '../support/s3.ts'

/** Returns temporary files of running or failed writes anywhere in a folder. */
export function temporaryFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(path).startsWith('.tmp-'))
    .map((path) => join(folder, path))
}

/** Returns the keys of multipart uploads that are running or were not cleaned up. */
export async function uploadsIn({ endpoint, bucket, key, secret }: S3): Promise<string[]> {
  const credentials = { accessKeyId: key, secretAccessKey: secret }
  const client = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true })
  const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
  client.destroy()
  return (Uploads ?? []).map(({ Key }) => Key ?? '')
}
