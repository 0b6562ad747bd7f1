import manifest from '../package.json' with { type: 'json' }

/** The version of this program, such as `1.2.0`. */
export const VERSION: string = manifest.version
