import { describe, expect, it } from 'vitest'
import { en } from './en.ts'
import { zh } from './zh.ts'

type Tree = { readonly [name: string]: string | Tree }

function flat(texts: Tree, before = ''): [string, string][] {
  return Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'string' ? [[before + name, text] as [string, string]] : flat(text, `${before}${name}.`),
  )
}

const placeholders = (text: string) => [...text.matchAll(/\{\{\s*(\w+)[^}]*\}\}/g)].map(([, name]) => name).sort()

/** Texts that are equal in every language: names, formats and code. */
const SAME = /^[\s\w./:{}<>()#@+*=,"'$&?…·–-]*$/

describe('the texts of the console', () => {
  const english = flat(en)
  const chinese = new Map(flat(zh))

  it('exist in both languages', () => {
    expect([...chinese.keys()].sort()).toEqual(english.map(([name]) => name).sort())
  })

  it.each(english)('%s has the same placeholders in both', (name, text) => {
    expect(placeholders(chinese.get(name)!)).toEqual(placeholders(text))
  })

  it('are Chinese in Chinese, except names and code', () => {
    const words = [...chinese].filter(([, text]) => !/\p{Script=Han}/u.test(text))
    const untranslated = words.filter(([name, text]) =>
      !SAME.test(text) || /[a-z]+ [a-z]+/.test(text) ? true : text !== new Map(english).get(name),
    )
    expect(untranslated).toEqual([])
  })

  it('contain no Chinese in English', () => {
    expect(english.filter(([, text]) => /\p{Script=Han}/u.test(text))).toEqual([])
  })
})
