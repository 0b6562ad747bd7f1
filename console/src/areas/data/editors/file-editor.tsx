import { UploadOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button, Flex, Typography, Upload } from 'antd'
import { useTranslation } from 'react-i18next'
import { path } from '../../../api/request.ts'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { shownText } from '../../../parts/shown-text.ts'
import { Thumbnail } from '../values/thumbnail.tsx'
import { type FileValue, fileName } from '../values/typed-value.ts'
import { ObjectSearch } from './object-search.tsx'

interface FileEditorProps {
  readonly value: FileValue | null
  onChange(value: FileValue): void
}

/** Larger files are uploaded on the files page, which shows progress. */
const MAX_BYTES = 10 * 1024 * 1024

/** Selects an existing file, or uploads one. */
export function FileEditor({ value, onChange }: FileEditorProps) {
  const { t } = useTranslation('data')
  const format = useFormat()
  const { call } = useApp()
  const uploading = useMutation({
    mutationFn: async (file: File) => {
      if (file.size > MAX_BYTES) throw new Error(t('file.tooLarge', { size: format.bytes(MAX_BYTES) }))
      const made = await call<{ objectId: string; name: string; url: string }>('POST', path`/1.1/files/${file.name}`, {
        body: { base64: await base64Of(file), mime_type: file.type || 'application/octet-stream' },
      })
      return { __type: 'File' as const, id: made.objectId, name: made.name, url: made.url }
    },
    onSuccess: onChange,
  })
  return (
    <Flex vertical gap={12}>
      {value && (
        <Flex align="center" gap={12}>
          <Thumbnail file={value} size={96} fallback={null} canLoad />
          <Typography.Text style={{ overflowWrap: 'anywhere' }}>{fileName(value)}</Typography.Text>
        </Flex>
      )}
      <ObjectSearch
        className="_File"
        value={value?.id ?? null}
        label={t('file.choose')}
        onChoose={({ objectId, name, url }) =>
          onChange({ __type: 'File', id: objectId, name: shownText(name), url: shownText(url) })
        }
      />
      <Upload
        showUploadList={false}
        beforeUpload={(file) => {
          uploading.mutate(file)
          return false
        }}
      >
        <Button icon={<UploadOutlined />} loading={uploading.isPending}>
          {t('file.upload')}
        </Button>
      </Upload>
      <ProblemNotice error={uploading.error} />
    </Flex>
  )
}

/** Returns the bytes of a file as a data URL, which the server accepts as base64. */
function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error(file.name))
    reader.readAsDataURL(file)
  })
}
