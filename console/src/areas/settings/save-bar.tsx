import { Button, Flex, Typography, theme } from 'antd'
import { useTranslation } from 'react-i18next'
import { changesIn } from './draft.ts'
import type { SettingsDraft } from './settings-draft.tsx'

interface SaveBarProps {
  readonly draft: SettingsDraft
  readonly isSaving: boolean
  onSave(): void
  onDiscard(): void
}

/** Fixed at the bottom edge while there are unsaved changes. */
export function SaveBar({ draft: { patch, refusals, unparsed }, isSaving, onSave, onDiscard }: SaveBarProps) {
  const { t } = useTranslation('settings')
  const { token } = theme.useToken()
  if (Object.keys(patch).length === 0 && unparsed.size === 0) return null
  return (
    <Flex
      wrap
      align="center"
      gap={12}
      role="region"
      aria-label={t('unsaved')}
      style={{
        position: 'sticky',
        bottom: 12,
        zIndex: 5,
        padding: '12px 16px',
        background: token.colorBgElevated,
        borderRadius: token.borderRadiusLG,
        boxShadow: token.boxShadowSecondary,
      }}
    >
      <Typography.Text strong style={{ flex: 1 }}>
        {unparsed.size > 0
          ? t('unparsed', { count: unparsed.size })
          : refusals.size > 0
            ? t('refused', { count: refusals.size })
            : t('changed', { count: changesIn(patch) })}
      </Typography.Text>
      <Button onClick={onDiscard} disabled={isSaving}>
        {t('discard')}
      </Button>
      {/* Not `loading`: its icon stays after a quick response, and the button would be labeled "loading Save". */}
      <Button type="primary" onClick={onSave} disabled={isSaving || unparsed.size > 0}>
        {t('save')}
      </Button>
    </Flex>
  )
}
