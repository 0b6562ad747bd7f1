import { expect, it } from 'vitest'
import { holdsCredentials, parseFilesUrl } from './files-url.ts'

const AMAZON = { kind: 's3', prefix: '', region: null, endpoint: null, pathStyle: false, credentials: null }

it.each<[url: string, place: object]>([
  ['file:///shared/files', { kind: 'folder', path: '/shared/files' }],
  ['file:///shared/a%20b/../files/', { kind: 'folder', path: '/shared/files' }],
  ['s3://bucket', { ...AMAZON, bucket: 'bucket' }],
  ['s3://my.bucket-1/?region=eu-central-1', { ...AMAZON, bucket: 'my.bucket-1', region: 'eu-central-1' }],
  ['s3://bucket/a/b.c/', { ...AMAZON, bucket: 'bucket', prefix: 'a/b.c' }],
  [
    's3://KEY:se%2Fcret%40@bucket?endpoint=http://127.0.0.1:9000/&pathStyle=true',
    {
      ...AMAZON,
      bucket: 'bucket',
      endpoint: 'http://127.0.0.1:9000',
      pathStyle: true,
      credentials: { accessKeyId: 'KEY', secretAccessKey: 'se/cret@' },
    },
  ],
])('parses %s', (url, place) => {
  expect(parseFilesUrl(url)).toEqual(place)
})

it.each<[url: string, reason: RegExp]>([
  ['files', /must be a URL/],
  ['https://bucket', /must begin with s3: or file:/],
  ['file://host/files', /three slashes/],
  ['file:///', /must not be the root/],
  ['file:///files?x=1', /must not contain a query/],
  ['file:///a%00b', /must name a folder|root of the file system|three slashes/],
  ['s3:///prefix', /bucket/],
  ['s3://a', /bucket/],
  ['s3://bucket:9000', /bucket/],
  ['s3://bucket/a//b', /prefix/],
  ['s3://bucket/.hidden', /prefix/],
  ['s3://bucket/a%2F..', /prefix/],
  [`s3://bucket/${'a'.repeat(201)}`, /prefix/],
  ['s3://bucket?region=a/b', /region/],
  ['s3://bucket?pathStyle=yes', /pathStyle/],
  ['s3://bucket?endpoint=ftp://x', /endpoint/],
  ['s3://bucket?endpoint=https://user:geheim@x', /endpoint/],
  ['s3://bucket?secret=geheim', /region, endpoint, pathStyle/],
  ['s3://KEY@bucket', /key and its secret/],
  ['s3://:geheim@bucket', /key and its secret/],
  ['s3://KEY:geheim%@bucket', /key and its secret/],
])('rejects %s with a reason that shows no secret', (url, reason) => {
  expect(() => parseFilesUrl(url)).toThrow(reason)
  expect(() => parseFilesUrl(url)).not.toThrow(/geheim/)
})

it('detects credentials before the bucket, also in an invalid URL', () => {
  expect(['s3://K:S@bucket', 's3://K@bucket', 's3://K:S/T@bucket'].map(holdsCredentials)).toEqual([true, true, true])
  expect(['s3://bucket/a', 'file:///a@b'].map(holdsCredentials)).toEqual([false, false])
})
