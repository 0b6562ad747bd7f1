// sharp alone: a program that receives sizes, creates thumbnails of them, and replies when they are done.
import sharp from 'sharp'
import type { Thumbnails } from './sharp-alone.ts'

// The same settings as Homeport.
sharp.concurrency(1)
sharp.cache(false)

process.on('message', async ({ source, sizes, atOnce, quality }: Thumbnails) => {
  const left = [...sizes]
  const work = async () => {
    for (let size = left.pop(); size; size = left.pop()) {
      await sharp(source)
        .resize({ ...size, fit: 'cover' })
        .jpeg({ quality })
        .toBuffer()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  process.send!('made')
})
