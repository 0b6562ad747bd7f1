/**
 * Returns the search terms of a text: words, and each pair of neighboring characters of Chinese text, which has no spaces. A last
 * character is a term of its own. Pairs match the same way in each browser, which the dictionaries of `Intl.Segmenter` do not.
 *
 * VitePress sends the source of this function to the browser: it must not refer to anything outside of itself.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function searchTerms(text) {
  const terms = []
  for (const [word] of text.matchAll(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}\p{M}_$])+/gu)) {
    if (!/\p{Script=Han}/u.test(word)) {
      terms.push(word)
      continue
    }
    const characters = [...word]
    for (let at = 0; at < characters.length - 1; at++) terms.push(characters[at] + characters[at + 1])
    // Each other character begins a pair, and the search also finds the beginnings of terms.
    terms.push(characters[characters.length - 1])
  }
  return terms
}
