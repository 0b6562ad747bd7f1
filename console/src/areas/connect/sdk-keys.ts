/** The SDKs with code on the page, in order. Separate from the code, which is loaded with the page. */
const SDK_KEYS = [
  'javascript',
  'miniProgram',
  'android',
  'swift',
  'objectiveC',
  'csharp',
  'flutter',
  'python',
  'go',
  'php',
  'rest',
  'blogs',
] as const

export type SdkKey = (typeof SDK_KEYS)[number]

export function isSdkKey(value: unknown): value is SdkKey {
  return SDK_KEYS.some((key) => key === value)
}
