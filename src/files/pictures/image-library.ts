import sharp from 'sharp'

/** The only loaders that are enabled, regardless of the type a file claims. SVG is excluded because it can contain scripts. */
const READERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((format) => `VipsForeignLoad${format}`)

// One thread per picture. A semaphore limits how many pictures are processed concurrently.
sharp.concurrency(1)
// The library's cache is useless here: results are cached in `picture-cache.ts`.
sharp.cache(false)
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: READERS })

/** Part of the cache key: results depend on the version of the library. */
export const LIBRARY_VERSION = sharp.versions.sharp ?? sharp.versions.vips

export { sharp }
