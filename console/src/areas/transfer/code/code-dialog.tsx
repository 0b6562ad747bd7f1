import { CopyOutlined } from '@ant-design/icons'
import { Alert, App, Button, Flex, Select, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { clipboardText, copyText } from '../../../parts/clipboard-text.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { JsonEditor } from '../../../parts/json-editor.tsx'
import type { CodedQuery } from './conditions.ts'
import { LANGUAGES } from './languages.ts'
import { curlLine, sdkCode } from './write-code.ts'

const CURL = 'curl'

/** Shows a query as a shell command and as SDK code. */
export function CodeDialog({ query, onClose }: { readonly query: CodedQuery; onClose(): void }) {
  const { t } = useTranslation('transfer')
  const { message } = App.useApp()
  const app = useApp()
  const [name, setName] = useState(CURL)
  const language = LANGUAGES.find((one) => one.name === name)
  const code = language ? sdkCode(language, query) : curlLine(location.origin, app, query)
  const copy = async () => {
    await copyText(clipboardText(code ?? ''))
    void message.success(t('code.copied'))
  }
  return (
    <Dialog open title={t('code.title')} footer={null} width={760} onCancel={onClose}>
      <Flex vertical gap={12}>
        <Typography.Text type="secondary">{t('code.about')}</Typography.Text>
        <Flex gap={8} justify="space-between" wrap>
          <Select
            aria-label={t('code.language')}
            value={name}
            style={{ width: 180 }}
            options={[CURL, ...LANGUAGES.map((one) => one.name)].map((value) => ({ value, label: value }))}
            onChange={setName}
          />
          <Button icon={<CopyOutlined />} disabled={code === null} onClick={() => void copy()}>
            {t('code.copy')}
          </Button>
        </Flex>
        {code === null ? (
          <Alert type="info" showIcon title={t('code.none')} />
        ) : (
          <JsonEditor key={name} readOnly language="text" height="320px" value={code} label={t('code.title')} />
        )}
      </Flex>
    </Dialog>
  )
}
