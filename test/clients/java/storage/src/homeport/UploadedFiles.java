package homeport;

import cn.leancloud.LCException;
import cn.leancloud.LCFile;
import cn.leancloud.LCObject;
import cn.leancloud.LCQuery;
import cn.leancloud.core.LeanCloud;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.util.Arrays;
import javax.imageio.ImageIO;

/** Files: their bytes, sent in the form of every provider. */
final class UploadedFiles {
  private static final String[] PROVIDERS = {"s3", "qiniu", "qcloud"};
  private static final int[] SIZES = {1, 300_000, 5_000_001};

  private UploadedFiles() {}

  /** More than 512 KB are sent to Tencent in a form of its own, which Homeport does not take. */
  private static boolean isSliced(String provider, int size) {
    return provider.equals("qcloud") && size > 512 * 1024;
  }

  private static byte[] bytes(int size) {
    byte[] bytes = new byte[size];
    for (int place = 0; place < size; place++) {
      bytes[place] = (byte) (place * 31 + (place >> 8));
    }
    return bytes;
  }

  private static byte[] fetched(String url) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (InputStream stream = new URL(url).openStream()) {
      byte[] buffer = new byte[65_536];
      for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
        bytes.write(buffer, 0, count);
      }
    }
    return bytes.toByteArray();
  }

  private static void use(String provider) {
    String[] app = Server.appWithFilesOf(provider);
    LeanCloud.initialize(app[0], app[1], Server.URL);
  }

  /** The client itself and everybody else get what was saved. */
  private static void comesBack(byte[] saved, LCFile file) throws IOException {
    Check.that(Arrays.equals(saved, fetched(file.getUrl())), "other bytes behind " + file.getUrl());
    LCFile found = LCFile.withObjectIdInBackground(file.getObjectId()).blockingFirst();
    Check.equal(file.getName(), found.getName());
    Check.equal(file.getUrl(), found.getUrl());
    Check.equal(saved.length, found.getSize());
    Check.that(Arrays.equals(saved, found.getData()), "other bytes from the client");
  }

  static void add(Cases cases) {
    for (String provider : PROVIDERS) {
      for (int size : SIZES) {
        if (isSliced(provider, size)) continue;
        cases.add("a file of " + size + " bytes comes back, as one of " + provider, () -> {
          use(provider);
          LCFile file = new LCFile("报告 1.bin", bytes(size));
          file.save();
          Check.equal(provider, file.getProvider());
          comesBack(bytes(size), file);
        });
      }

      cases.add("a file of the disk comes back, as one of " + provider, () -> {
        use(provider);
        File source = File.createTempFile("homeport", ".bin");
        try {
          Files.write(source.toPath(), bytes(500_000));
          LCFile file = LCFile.withFile("磁盘.bin", source);
          file.save();
          comesBack(bytes(500_000), file);
        } finally {
          source.delete();
        }
      });
    }

    cases.add("a file keeps its own data, is in an object, and has a thumbnail", () -> {
      ByteArrayOutputStream picture = new ByteArrayOutputStream();
      ImageIO.write(new BufferedImage(300, 200, BufferedImage.TYPE_INT_RGB), "png", picture);
      LCFile file = new LCFile("猫.png", picture.toByteArray());
      file.addMetaData("width", 300);
      file.save();
      LCObject post = new LCObject("Picture");
      post.put("file", file);
      post.save();
      LCFile found = new LCQuery<>("Picture").include("file").get(post.getObjectId()).getLCFile("file");
      Check.equal(file.getUrl(), found.getUrl());
      Check.equal("image/png", found.getMimeType());
      Check.equal(300, found.getMetaData("width"));
      BufferedImage thumbnail = ImageIO.read(new URL(found.getThumbnailUrl(true, 60, 60)));
      Check.equal("60x40", thumbnail.getWidth() + "x" + thumbnail.getHeight());
    });

    cases.add("a file is deleted with the master key", () -> {
      LCFile file = new LCFile("gone.bin", bytes(100));
      file.save();
      String url = file.getUrl();
      Check.equal(403, Check.thrown(LCException.class, file::delete).getCode());
      Check.equal(100, fetched(url).length);
      LeanCloud.setMasterKey(Server.MASTER_KEY);
      file.delete();
      Check.thrown(FileNotFoundException.class, () -> fetched(url));
    });
  }
}
