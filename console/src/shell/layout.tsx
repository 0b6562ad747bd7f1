import { MenuOutlined, SearchOutlined } from '@ant-design/icons'
import { Link, Outlet } from '@tanstack/react-router'
import { Layout as AntLayout, Button, Drawer, Flex, Grid, Typography, theme } from 'antd'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AppearanceSwitch } from './appearance-switch.tsx'
import { LanguageSwitch } from './language-switch.tsx'
import { Menu } from './menu.tsx'
import { UserMenu } from './user-menu.tsx'

// If it cannot be loaded the page stays, with any unsaved input; `OutdatedNotice` reports the reason.
const Palette = lazy(() => import('./palette.tsx').catch(() => ({ default: () => <></> })))
const MENU_WIDTH = 224

/** The frame of every page: the menu, which is a drawer on narrow screens, and the header. */
export function Layout() {
  const { t } = useTranslation('shell')
  const { token } = theme.useToken()
  const isWide = Grid.useBreakpoint().lg ?? true
  const [menuIsOpen, setMenuIsOpen] = useState(false)
  const [paletteIsOpen, setPaletteIsOpen] = useState(false)

  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setPaletteIsOpen((open) => !open)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])

  return (
    <AntLayout style={{ minHeight: '100%' }}>
      <a className="skip-link" href="#content">
        {t('skip')}
      </a>
      <AntLayout.Header
        style={{
          position: 'sticky',
          top: 0,
          zIndex: 10,
          height: 52,
          lineHeight: 'normal',
          padding: '0 12px',
          background: token.colorBgContainer,
          borderBottom: `1px solid ${token.colorBorderSecondary}`,
        }}
      >
        <Flex align="center" gap={8} style={{ height: '100%' }}>
          {!isWide && (
            <Button type="text" icon={<MenuOutlined />} aria-label={t('menu')} onClick={() => setMenuIsOpen(true)} />
          )}
          <Link to="/" style={{ display: 'flex', alignItems: 'center', gap: 10 }}>
            <img src="/console/homeport.svg" alt={isWide ? '' : 'Homeport'} width={28} height={28} />
            {isWide && (
              <Typography.Text strong style={{ fontSize: 16 }} translate="no">
                {'Homeport'}
              </Typography.Text>
            )}
          </Link>
          <Flex flex={1} justify="center">
            <Button
              icon={<SearchOutlined />}
              onClick={() => setPaletteIsOpen(true)}
              style={{ width: '100%', maxWidth: 420, justifyContent: 'flex-start', color: token.colorTextSecondary }}
            >
              {isWide ? t('palette.openWithKeys') : t('palette.open')}
            </Button>
          </Flex>
          <LanguageSwitch />
          <AppearanceSwitch />
          <UserMenu />
        </Flex>
      </AntLayout.Header>
      <AntLayout>
        {isWide && (
          <AntLayout.Sider
            width={MENU_WIDTH}
            theme="light"
            style={{
              position: 'sticky',
              top: 52,
              height: 'calc(100dvh - 52px - var(--toasts-height, 0px))',
              overflow: 'auto',
              background: token.colorBgContainer,
              borderInlineEnd: `1px solid ${token.colorBorderSecondary}`,
            }}
          >
            <Menu />
          </AntLayout.Sider>
        )}
        <AntLayout.Content
          id="content"
          tabIndex={-1}
          style={{ display: 'flex', flexDirection: 'column', minWidth: 0, padding: isWide ? 24 : 12, outline: 'none' }}
        >
          <Outlet />
        </AntLayout.Content>
      </AntLayout>
      <Drawer
        title={t('menu')}
        placement="left"
        size={280}
        open={menuIsOpen && !isWide}
        onClose={() => setMenuIsOpen(false)}
        styles={{ body: { padding: 0 } }}
      >
        <Menu onChosen={() => setMenuIsOpen(false)} />
      </Drawer>
      {paletteIsOpen && (
        <Suspense>
          <Palette onClose={() => setPaletteIsOpen(false)} />
        </Suspense>
      )}
    </AntLayout>
  )
}
