import { ApiOutlined, EditOutlined } from '@ant-design/icons'
import { Link } from '@tanstack/react-router'
import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRights } from '../../api/me.ts'
import { useApp } from '../../api/use-app.ts'
import { Page } from '../../parts/page.tsx'
import { DangerZone } from './danger-zone.tsx'
import { DetailsDialog } from './details-dialog.tsx'
import { FiguresCards } from './figures-cards.tsx'
import { KeysCard } from './keys-card.tsx'
import { RecentChanges } from './recent-changes.tsx'

/** An app with its data and recent changes. */
export function OverviewPage() {
  const { t } = useTranslation('overview')
  const app = useApp()
  const { isOwner } = useRights()
  const [isEditing, setIsEditing] = useState(false)
  return (
    <Page
      title={app.name}
      about={app.ownerEmail === null ? t('title') : t('ofOwner', { email: app.ownerEmail })}
      actions={
        <>
          {app.canChange && (
            <Button icon={<EditOutlined />} onClick={() => setIsEditing(true)}>
              {t('edit')}
            </Button>
          )}
          <Link to="/apps/$appId/connect" params={{ appId: app.appId }} tabIndex={-1}>
            <Button type="primary" icon={<ApiOutlined />}>
              {t('connect')}
            </Button>
          </Link>
        </>
      }
    >
      <FiguresCards appId={app.appId} />
      <Flex wrap gap={16} align="start">
        <KeysCard app={app} />
        <RecentChanges appId={app.appId} />
      </Flex>
      {isOwner && <DangerZone app={app} />}
      {isEditing && <DetailsDialog app={app} onClose={() => setIsEditing(false)} />}
    </Page>
  )
}
