import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'

export const LANGUAGES = { en: 'English', zh: '简体中文' } as const
export type Language = keyof typeof LANGUAGES

const STORED = 'homeport.language'

/** Returns the language chosen here before, else the browser's preference. */
function preferred(): Language {
  const stored = localStorage.getItem(STORED)
  if (stored === 'en' || stored === 'zh') return stored
  return navigator.languages.find((language) => /^(en|zh)\b/.test(language))?.startsWith('zh') ? 'zh' : 'en'
}

/** Loads the texts of the current language only. */
async function load(language: Language): Promise<void> {
  const texts = language === 'zh' ? (await import('./zh.ts')).zh : (await import('./en.ts')).en
  for (const [area, bundle] of Object.entries(texts)) i18next.addResourceBundle(language, area, bundle)
}

export async function setUpTexts(): Promise<void> {
  const language = preferred()
  await i18next.use(initReactI18next).init({
    lng: language,
    defaultNS: 'shell',
    fallbackLng: false,
    resources: {},
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  })
  await load(language)
  announce(language)
}

export async function chooseLanguage(language: Language): Promise<void> {
  await load(language)
  await i18next.changeLanguage(language)
  localStorage.setItem(STORED, language)
  announce(language)
}

function announce(language: Language): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
}
