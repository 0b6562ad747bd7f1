package homeport;

import cn.leancloud.AVException;
import cn.leancloud.AVFile;
import cn.leancloud.AVObject;
import cn.leancloud.AVQuery;
import cn.leancloud.core.AVOSCloud;
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

/**
 * Files of these older versions: their bytes, sent in the form of every provider. Their names have endings that plain Java
 * knows: the client sends no others to S3.
 */
final class OldFiles {
  private static final String[] PROVIDERS = {"s3", "qiniu", "qcloud"};
  private static final int[] SIZES = {1, 300_000, 5_000_001};

  private OldFiles() {}

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
    AVOSCloud.initialize(app[0], app[1], Server.URL);
  }

  /** The client itself and everybody else get what was saved. */
  private static void comesBack(byte[] saved, AVFile file) throws IOException {
    Check.that(Arrays.equals(saved, fetched(file.getUrl())), "other bytes behind " + file.getUrl());
    AVFile found = AVFile.withObjectIdInBackground(file.getObjectId()).blockingFirst();
    Check.equal(file.getName(), found.getName());
    Check.equal(file.getUrl(), found.getUrl());
    Check.equal(saved.length, found.getSize());
    Check.that(Arrays.equals(saved, found.getData()), "other bytes from the client");
  }

  static void add(Cases cases) {
    for (String provider : PROVIDERS) {
      for (int size : SIZES) {
        if (isSliced(provider, size)) continue;
        cases.add("version 6: a file of " + size + " bytes comes back, as one of " + provider, () -> {
          use(provider);
          AVFile file = new AVFile("报告 1.txt", bytes(size));
          file.saveInBackground().blockingFirst();
          Check.equal(provider, file.getProvider());
          comesBack(bytes(size), file);
        });
      }

      cases.add("version 6: a file of the disk comes back, as one of " + provider, () -> {
        use(provider);
        File source = File.createTempFile("homeport", ".txt");
        try {
          Files.write(source.toPath(), bytes(500_000));
          AVFile file = AVFile.withFile("磁盘.txt", source);
          file.saveInBackground().blockingFirst();
          comesBack(bytes(500_000), file);
        } finally {
          source.delete();
        }
      });
    }

    cases.add("version 6: a file keeps its own data, is in an object, and has a thumbnail", () -> {
      AVOSCloud.initialize(Server.APP_ID, Server.APP_KEY, Server.URL);
      ByteArrayOutputStream picture = new ByteArrayOutputStream();
      ImageIO.write(new BufferedImage(300, 200, BufferedImage.TYPE_INT_RGB), "png", picture);
      AVFile file = new AVFile("猫.png", picture.toByteArray());
      file.addMetaData("width", 300);
      file.saveInBackground().blockingFirst();
      AVObject post = new AVObject("Picture");
      post.put("file", file);
      post.save();
      AVFile found = new AVQuery<>("Picture").include("file").get(post.getObjectId()).getAVFile("file");
      Check.equal(file.getUrl(), found.getUrl());
      Check.equal("image/png", found.getMimeType());
      Check.equal(300, found.getMetaData("width"));
      BufferedImage thumbnail = ImageIO.read(new URL(found.getThumbnailUrl(true, 60, 60)));
      Check.equal("60x40", thumbnail.getWidth() + "x" + thumbnail.getHeight());
    });

    cases.add("version 6: a file is deleted with the master key", () -> {
      AVOSCloud.initialize(Server.APP_ID, Server.APP_KEY, Server.URL);
      AVFile file = new AVFile("gone.txt", bytes(100));
      file.saveInBackground().blockingFirst();
      String url = file.getUrl();
      Check.equal(403, Check.thrown(AVException.class, file::delete).getCode());
      Check.equal(100, fetched(url).length);
      AVOSCloud.setMasterKey(Server.MASTER_KEY);
      file.delete();
      Check.thrown(FileNotFoundException.class, () -> fetched(url));
    });
  }
}
