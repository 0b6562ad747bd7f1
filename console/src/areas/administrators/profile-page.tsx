import { useSuspenseQuery } from '@tanstack/react-query'
import { Descriptions, Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApps } from '../../api/apps.ts'
import { meQuery } from '../../api/me.ts'
import { Card } from '../../parts/card.tsx'
import { Page } from '../../parts/page.tsx'
import { CodesCard } from './codes-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

/** The profile of the current administrator: password, one-time codes, sessions. */
export function ProfilePage() {
  const { t } = useTranslation('administrators')
  const apps = useApps()
  const { administrator, sessionId } = useSuspenseQuery(meQuery).data
  const { name, role } = administrator
  const theirs = administrator.apps?.map((appId) => apps.find((app) => app.appId === appId)?.name ?? appId)
  return (
    <Page title={t('profileTitle')}>
      <Flex vertical gap={16} style={{ maxWidth: 760 }}>
        <Card variant="borderless">
          <Descriptions
            column={1}
            items={[
              { key: 'name', label: t('name'), children: name },
              { key: 'role', label: t('role'), children: `${t(`roles.${role}`)} · ${t(`rolesAbout.${role}`)}` },
              { key: 'apps', label: t('apps'), children: theirs ? theirs.join(', ') : t('allApps') },
            ]}
          />
        </Card>
        <PasswordCard hasPassword={administrator.hasPassword} />
        <CodesCard hasCodes={administrator.hasTotp} hasPassword={administrator.hasPassword} />
        <SessionsCard current={sessionId} />
      </Flex>
    </Page>
  )
}
