import { Card, Flex, Typography, theme } from 'antd'
import type { ReactNode } from 'react'
import { AppearanceSwitch } from '../../shell/appearance-switch.tsx'
import { LanguageSwitch } from '../../shell/language-switch.tsx'

/** The card of the login pages. */
export function EntryCard({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { token } = theme.useToken()
  return (
    <Flex
      vertical
      align="center"
      justify="center"
      style={{ minHeight: '100%', padding: 16, background: token.colorBgLayout }}
    >
      <main style={{ width: '100%', maxWidth: 400 }}>
        <Card variant="borderless" style={{ boxShadow: token.boxShadowTertiary }}>
          <Flex vertical align="center" gap={12} style={{ marginBottom: 24 }}>
            <img src="/console/homeport.svg" alt="" width={48} height={48} />
            <Typography.Title level={1} style={{ fontSize: 22, margin: 0, textAlign: 'center' }}>
              {title}
            </Typography.Title>
          </Flex>
          {children}
        </Card>
        <Flex justify="center" gap={8} style={{ marginTop: 16 }}>
          <LanguageSwitch />
          <AppearanceSwitch />
        </Flex>
      </main>
    </Flex>
  )
}
