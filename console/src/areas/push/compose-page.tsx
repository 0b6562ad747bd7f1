import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Button, Flex, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { AudienceCount } from './audience-count.tsx'
import { ContentFields } from './content-fields.tsx'
import { Preview } from './preview.tsx'
import { type Draft, EMPTY, requestOf } from './push-draft.ts'
import { PushLinks } from './push-links.tsx'
import { TargetFields } from './target-fields.tsx'
import { TimingFields } from './timing-fields.tsx'

/** The page to compose, target and send a push. */
export function ComposePage() {
  const { t } = useTranslation('push')
  const { canChange } = useApp()
  const { device } = useSearch({ from: '/signed-in/apps/$appId/push/new' })
  const [draft, setDraft] = useState<Draft>(() => (device ? { ...EMPTY, target: 'device', device } : EMPTY))
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  return (
    <Page title={t('compose.title')} about={t('compose.about')}>
      <PushLinks />
      {canChange ? (
        <Flex wrap gap={16} align="start">
          <Flex vertical gap={16} style={{ flex: '2 1 480px', minWidth: 0 }}>
            <Card title={t('compose.content')}>
              <ContentFields draft={draft} onChange={change} />
            </Card>
            <Card title={t('compose.target')}>
              <TargetFields draft={draft} onChange={change} />
              <AudienceCount draft={draft} />
            </Card>
            <Card title={t('compose.timing')}>
              <TimingFields draft={draft} onChange={change} />
            </Card>
            <Sending draft={draft} />
          </Flex>
          <Card title={t('compose.preview')} style={{ flex: '1 1 320px', minWidth: 0 }}>
            <Preview draft={draft} />
          </Card>
        </Flex>
      ) : (
        <EmptyState title={t('compose.notAllowed')} />
      )}
    </Page>
  )
}

function Sending({ draft }: { readonly draft: Draft }) {
  const { t } = useTranslation('push')
  const app = useApp()
  const [isConfirming, setIsConfirming] = useState(false)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const request = requestOf(draft)
  const send = useMutation({
    mutationFn: (body: object) => app.call<{ objectId: string }>('POST', '/1.1/push', { body }),
    onSuccess: async ({ objectId }) => {
      await queries.invalidateQueries({ queryKey: ['apps', app.appId, 'pushes'] })
      await navigate({ to: '/apps/$appId/push/results/$pushId', params: { appId: app.appId, pushId: objectId } })
    },
  })
  const isLater = draft.pushAt !== ''
  return (
    <Flex vertical gap={8}>
      <ProblemNotice error={send.error} />
      <Flex gap={12} align="center" wrap>
        <Button
          type="primary"
          size="large"
          disabled={!('body' in request)}
          loading={send.isPending}
          onClick={() => setIsConfirming(true)}
        >
          {isLater ? t('compose.scheduleOpen') : t('compose.send')}
        </Button>
        {'fault' in request && (
          <Typography.Text type="secondary" role="status">
            {t(`faults.${request.fault}`)}
          </Typography.Text>
        )}
      </Flex>
      <Dialog
        open={isConfirming}
        title={isLater ? t('compose.askLater') : t('compose.ask')}
        okText={isLater ? t('compose.schedule') : t('compose.sendNow')}
        okButtonProps={{ loading: send.isPending }}
        onOk={() => 'body' in request && send.mutate(request.body, { onSettled: () => setIsConfirming(false) })}
        onCancel={() => setIsConfirming(false)}
      >
        <AudienceCount draft={draft} />
      </Dialog>
    </Flex>
  )
}
