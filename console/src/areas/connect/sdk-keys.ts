/** The SDKs that the page has code for, in its order. Apart from the code, which is loaded with the page. */
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
