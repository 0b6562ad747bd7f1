import { SearchOutlined } from '@ant-design/icons'
import { ConfigProvider, theme } from 'antd'
import enUS from 'antd/locale/en_US'
import zhCN from 'antd/locale/zh_CN'
import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { AppearanceContext, type Choice } from '../parts/appearance-context.ts'
import { Screen } from './screen.tsx'

const STORED = 'homeport.appearance'
const systemDark = matchMedia('(prefers-color-scheme: dark)')
const systemStill = matchMedia('(prefers-reduced-motion: reduce)')

/** Provides the theme, reduced motion if the system requests it, and the component texts of the current language. */
export function Appearance({ children }: { readonly children: ReactNode }) {
  const { t, i18n } = useTranslation('shell')
  const [choice, setChoice] = useState(stored)
  const isSystemDark = useSyncExternalStore(listenToDark, () => systemDark.matches)
  const isStill = useSyncExternalStore(listenToStill, () => systemStill.matches)
  const isDark = choice === 'dark' || (choice === 'system' && isSystemDark)

  useEffect(() => {
    document.documentElement.dataset.appearance = isDark ? 'dark' : 'light'
    document.documentElement.style.colorScheme = isDark ? 'dark' : 'light'
  }, [isDark])

  const state = useMemo(
    () => ({
      choice,
      isDark,
      choose(next: Choice) {
        localStorage.setItem(STORED, next)
        setChoice(next)
      },
    }),
    [choice, isDark],
  )
  const colours = useMemo(() => {
    const { token, ...rest } = isDark ? DARK : LIGHT
    return { ...rest, token: { ...token, motion: !isStill } }
  }, [isDark, isStill])
  return (
    <AppearanceContext value={state}>
      <ConfigProvider
        locale={i18n.language === 'zh' ? zhCN : enUS}
        theme={colours}
        // A space between two Chinese characters changes their pronunciation in screen readers.
        button={{ autoInsertSpace: false }}
        // The button of a search field has no other label.
        inputSearch={{ searchIcon: <SearchOutlined aria-label={t('find')} /> }}
      >
        <Screen>{children}</Screen>
      </ConfigProvider>
    </AppearanceContext>
  )
}

const SHAPE = { borderRadius: 8, fontSize: 14 } as const

/** Colors with a contrast of at least 4.5 on their backgrounds (WCAG AA). */
const LIGHT = {
  algorithm: theme.defaultAlgorithm,
  token: {
    ...SHAPE,
    colorPrimary: '#0b5c96',
    colorLink: '#0b5c96',
    // The derived colors are too light to read.
    colorLinkHover: '#08456f',
    colorLinkActive: '#08456f',
    colorBgLayout: '#f4f6f8',
    colorTextSecondary: '#4a5561',
    colorTextTertiary: '#5b6672',
    colorTextDescription: '#5b6672',
    colorTextPlaceholder: '#6b7580',
    colorError: '#c02a2e',
    colorErrorHover: '#a82125',
    colorSuccess: '#1c7430',
    colorWarning: '#8f5a00',
    colorInfo: '#0b5c96',
    // The derived colors of such dark colors are gray.
    colorPrimaryBg: '#e3f0f9',
    colorPrimaryBgHover: '#d3e7f5',
    colorInfoBg: '#e3f0f9',
    colorInfoBorder: '#a9d0ea',
    colorSuccessBg: '#e8f5ea',
    colorSuccessBorder: '#a3d3ad',
    colorErrorBg: '#fdecec',
    colorErrorBorder: '#f0b1b1',
    colorWarningBg: '#fdf3dc',
    colorWarningBorder: '#e8cf8f',
  },
  components: { Menu: { itemSelectedBg: '#dcebf6' } },
}

/** Buttons that would use the primary color for their text. */
const POINTED_AT = {
  defaultHoverColor: '#69b4ee',
  defaultHoverBorderColor: '#69b4ee',
  defaultActiveColor: '#69b4ee',
  defaultActiveBorderColor: '#69b4ee',
}

const DARK = {
  algorithm: theme.darkAlgorithm,
  token: {
    ...SHAPE,
    colorPrimary: '#1f7fc4',
    colorPrimaryHover: '#2272ac',
    colorLink: '#69b4ee',
    // The derived colors are too dark to read.
    colorLinkHover: '#8cc7f5',
    colorLinkActive: '#8cc7f5',
    colorBgLayout: '#0d1117',
    colorBgContainer: '#151b23',
    colorTextSecondary: '#b3bdc7',
    colorTextTertiary: '#9aa5b1',
    colorTextDescription: '#9aa5b1',
    colorTextPlaceholder: '#929daa',
    colorError: '#ff7875',
    // Tags of running items.
    colorInfo: '#69b4ee',
  },
  components: {
    // On a red that is readable on dark backgrounds, text must be dark.
    Button: { dangerColor: '#1d0a0a', ...POINTED_AT },
    Menu: { itemSelectedColor: '#8cc7f5' },
    Tabs: {
      itemSelectedColor: '#69b4ee',
      itemHoverColor: '#69b4ee',
      itemActiveColor: '#69b4ee',
      inkBarColor: '#69b4ee',
    },
  },
}

function stored(): Choice {
  const known = localStorage.getItem(STORED)
  return known === 'light' || known === 'dark' ? known : 'system'
}

const listenToDark = listenTo(systemDark)
const listenToStill = listenTo(systemStill)

function listenTo(query: MediaQueryList) {
  return (listener: () => void): (() => void) => {
    query.addEventListener('change', listener)
    return () => query.removeEventListener('change', listener)
  }
}
