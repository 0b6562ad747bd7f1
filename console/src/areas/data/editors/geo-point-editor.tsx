import { Flex, InputNumber, Typography, theme } from 'antd'
import type { MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { GeoPointValue } from '../values/typed-value.ts'

interface GeoPointEditorProps {
  readonly label: string
  readonly value: GeoPointValue | null
  onChange(value: GeoPointValue): void
}

const MERIDIANS = Array.from({ length: 11 }, (_, n) => -150 + n * 30)
const PARALLELS = Array.from({ length: 5 }, (_, n) => -60 + n * 30)

/** A place by its numbers, or by a click on a grid of latitude and longitude. */
export function GeoPointEditor({ label, value, onChange }: GeoPointEditorProps) {
  const { t } = useTranslation('data')
  const { token } = theme.useToken()
  const { latitude = 0, longitude = 0 } = value ?? {}
  const choose = (lat: number, long: number) =>
    onChange({
      __type: 'GeoPoint',
      latitude: Math.max(-90, Math.min(90, lat)),
      longitude: Math.max(-180, Math.min(180, long)),
    })
  const click = (event: MouseEvent<SVGSVGElement>) => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect()
    const degrees = (share: number, span: number) => Math.round((share - 0.5) * span * 100) / 100
    choose(-degrees((event.clientY - top) / height, 180), degrees((event.clientX - left) / width, 360))
  }
  return (
    <Flex vertical gap={12}>
      <Flex wrap gap={12}>
        <Flex vertical gap={4} flex={1}>
          <Typography.Text type="secondary">{t('geo.latitude')}</Typography.Text>
          <InputNumber
            aria-label={t('geo.latitude')}
            min={-90}
            max={90}
            style={{ width: '100%' }}
            value={value ? latitude : null}
            onChange={(degrees) => choose(degrees ?? 0, longitude)}
          />
        </Flex>
        <Flex vertical gap={4} flex={1}>
          <Typography.Text type="secondary">{t('geo.longitude')}</Typography.Text>
          <InputNumber
            aria-label={t('geo.longitude')}
            min={-180}
            max={180}
            style={{ width: '100%' }}
            value={value ? longitude : null}
            onChange={(degrees) => choose(latitude, degrees ?? 0)}
          />
        </Flex>
      </Flex>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the two numbers above say the same by the keyboard */}
      <svg
        viewBox="-180 -90 360 180"
        role="img"
        aria-label={t('geo.grid', { name: label })}
        onClick={click}
        style={{ width: '100%', background: token.colorFillQuaternary, borderRadius: 8, cursor: 'crosshair' }}
      >
        <g stroke={token.colorBorder} strokeWidth={0.5}>
          {MERIDIANS.map((x) => (
            <line key={x} x1={x} x2={x} y1={-90} y2={90} strokeWidth={x === 0 ? 1 : 0.5} />
          ))}
          {PARALLELS.map((y) => (
            <line key={y} x1={-180} x2={180} y1={y} y2={y} strokeWidth={y === 0 ? 1 : 0.5} />
          ))}
        </g>
        <g fill={token.colorTextTertiary} fontSize={7}>
          {MERIDIANS.filter((x) => x % 60 === 0).map((x) => (
            <text key={x} x={x + 2} y={87}>
              {`${x}°`}
            </text>
          ))}
          {PARALLELS.map((y) => (
            <text key={y} x={-178} y={-y - 2}>
              {`${y}°`}
            </text>
          ))}
        </g>
        {value && (
          <circle
            cx={longitude}
            cy={-latitude}
            r={4}
            fill={token.colorPrimary}
            stroke={token.colorBgContainer}
            strokeWidth={1.5}
          />
        )}
      </svg>
    </Flex>
  )
}
