import { Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { Card } from '../../parts/card.tsx'
import { clipboardLine } from '../../parts/clipboard-text.ts'
import { shellArgument } from '../../parts/shell-argument.ts'

interface RestoreCardProps {
  /** The folder of the backups; null: they are in S3, whose URL is an option. */
  readonly folder: string | null
  /** The newest backup. */
  readonly name: string
  readonly hasWal: boolean
}

/** The commands that restore a backup, on the machine of the server. */
export function RestoreCard({ folder, name, hasWal }: RestoreCardProps) {
  const { t } = useTranslation('backups')
  return (
    <Card size="small" title={t('restore')}>
      <Flex vertical gap={8}>
        <Typography.Text type="secondary">{t('restoreAbout')}</Typography.Text>
        <Command
          text={`homeport restore ${folder === null ? name : shellArgument(`${folder}/${name}`)} --data ./restored`}
        />
        {hasWal && (
          <>
            <Typography.Text type="secondary">{t('restoreTo')}</Typography.Text>
            <Command
              text={`homeport restore ${folder === null ? 'latest' : shellArgument(folder)} --to ${new Date().toISOString().slice(0, 16)}:00Z --data ./restored`}
            />
          </>
        )}
      </Flex>
    </Card>
  )
}

function Command({ text }: { readonly text: string }) {
  return (
    <Typography.Text code translate="no" style={{ overflowWrap: 'anywhere' }} copyable={{ text: clipboardLine(text) }}>
      {text}
    </Typography.Text>
  )
}
