import sharp from 'sharp'

/** What files are read with: nothing else is tried, whatever a file says that it is. No SVG among them: it is a program. */
const READERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((format) => `VipsForeignLoad${format}`)

// One thread for a picture: how many are made at a time is decided where turns are taken.
sharp.concurrency(1)
// Every picture comes once: its result is kept elsewhere.
sharp.cache(false)
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: READERS })

/** Part of what a result depends on. */
export const LIBRARY_VERSION = sharp.versions.sharp ?? sharp.versions.vips

export { sharp }
