import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Alert, Flex, Form, Grid, Input, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { Card } from '../../parts/card.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { SideTabs } from '../../parts/side-tabs.tsx'
import { figuresQuery } from '../overview/overview-queries.ts'
import { CodeCard } from './code-card.tsx'
import type { SdkKey } from './sdk-keys.ts'
import { SDKS } from './sdks.ts'
import { serverOrigin } from './server-origin.ts'
import type { ServerAddress } from './snippets/snippet.ts'
import { TryIt } from './try-it.tsx'

/** Code that connects each SDK to this server, with the id and the key of the app. */
export function ConnectPage() {
  const { t } = useTranslation('connect')
  const { appId, appKey } = useApp()
  const { sdk = 'javascript' } = useSearch({ from: '/signed-in/apps/$appId/connect' })
  const navigate = useNavigate()
  const isWide = Grid.useBreakpoint().md ?? true
  const { data, isPending, error } = useQuery(figuresQuery(appId))
  const [typedUrl, setTypedUrl] = useState<string | null>(null)
  const named = serverOrigin((typedUrl ?? data?.serverUrl ?? location.origin).trim())
  const isUrl = named !== null
  const server: ServerAddress = { serverUrl: named ?? location.origin, appId, appKey }
  const choose = (key: string) =>
    void navigate({
      to: '/apps/$appId/connect',
      params: { appId },
      search: { sdk: key as SdkKey },
      replace: true,
    })
  return (
    <Page title={t('title')} about={t('about')}>
      <ProblemNotice error={error} />
      <Form layout="vertical">
        <Form.Item
          label={t('server')}
          htmlFor="server-url"
          validateStatus={isUrl ? '' : 'error'}
          extra={t('serverAbout')}
          help={isUrl ? undefined : t('serverWrong')}
          style={{ marginBottom: 0, maxWidth: 520 }}
        >
          <Input
            id="server-url"
            value={typedUrl ?? data?.serverUrl ?? ''}
            spellCheck={false}
            // A value arriving while the user types would be inserted before the typed text.
            readOnly={isPending}
            onChange={(event) => setTypedUrl(event.target.value)}
          />
        </Form.Item>
      </Form>
      {server.serverUrl.startsWith('http:') && <Alert type="info" showIcon title={t('https')} />}
      <TryIt server={server} />
      <Card styles={{ body: { padding: isWide ? '16px 0' : 12 } }}>
        <SideTabs
          label={t('sdk')}
          active={sdk}
          onChange={choose}
          items={SDKS.map(({ key, snippets }) => ({
            key,
            label: t(`sdks.${key}.name`),
            content: (
              <Flex vertical gap={16} style={{ paddingInlineEnd: isWide ? 24 : 0, minWidth: 0 }}>
                <Typography.Text type="secondary">{t(`sdks.${key}.about`)}</Typography.Text>
                {snippets(server).map((snippet) => (
                  <CodeCard key={snippet.label ?? key} snippet={snippet} />
                ))}
              </Flex>
            ),
          }))}
        />
      </Card>
    </Page>
  )
}
