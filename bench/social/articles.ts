/** A searched object: a title and a text, in made-up English or in Chinese words. */
export interface Article {
  readonly title: string
  readonly content: string
  readonly score: number
}

const ENGLISH_WORDS = 30_000
const TITLE = 6
const CONTENT = 60

const SYLLABLES = [
  'ba',
  'ce',
  'di',
  'fo',
  'gu',
  'ha',
  'je',
  'ki',
  'lo',
  'mu',
  'na',
  'pe',
  'ri',
  'so',
  'tu',
  'va',
  'we',
  'xi',
  'yo',
  'zu',
]
const CHARACTERS =
  '天地人大学中国北京上海手机电话音乐影图书新闻体育经济科技文化历史理数语言生活工作朋友家庭城市农村交通旅游美食健康医院校老师公司场产品服务网络软件硬据信息安全水火山川风云雨雪花草树木春夏秋冬东西南北前后左右高低长短快慢多少好坏'
/** Words of two characters: pairs that the dictionary contains. */
const CHINESE = wordsOf(CHARACTERS)

/** Words that every second object contains. */
export const COMMON = { english: 'common', chinese: '我们' }

/** Words that some hundreds of a million objects contain; a different one for each number. */
export const RARE = {
  english: (n: number) => englishWord(4000 + n * 37),
  chinese: (n: number) => chineseWord(CHINESE.length - 1 - n),
}

/** Yields the same articles each time. The first words are by far the most frequent, as in natural languages. */
export function* articles(count: number): Generator<Article> {
  const random = seeded(20261123)
  for (let n = 0; n < count; n++) {
    const isChinese = n % 2 === 1
    const [word, words, space, common] = isChinese
      ? ([chineseWord, CHINESE.length, '', COMMON.chinese] as const)
      : ([englishWord, ENGLISH_WORDS, ' ', COMMON.english] as const)
    const text = (length: number) => Array.from({ length }, () => word(Math.floor(words ** random()))).join(space)
    yield {
      title: text(TITLE),
      content: `${text(CONTENT / 2)}${space}${common}${space}${text(CONTENT / 2)}`,
      score: Math.floor(random() * 100_000),
    }
  }
}

function englishWord(n: number): string {
  let word = ''
  for (let rest = n + 400; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length]
  return word
}

function chineseWord(n: number): string {
  return CHINESE[n]!
}

function wordsOf(characters: string): string[] {
  const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })
  const pairs = [...characters].flatMap((first) => [...characters].map((second) => first + second))
  return [...new Set(pairs)].filter((pair) => [...segmenter.segment(pair)].length === 1)
}

/** Returns a seeded generator of numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
