package needletail.content.file

/**
 * Media types by the suffix of a file's name.
 *
 * Made from /etc/mime.types of Debian's package media-types 10.0.0 (https://salsa.debian.org/debian/media-types), which
 * is in the public domain: the types of application, audio, font, image, model, text and video that have suffixes.
 * Where browsers expect another one, that of the IANA registry or of the HTML standard is taken (js, map, ts and others).
 */
private[file] object MediaTypeTable {

  /** For each first half of a type: the second half, and its suffixes. */
  val groups: List[(String, String)] = List(
    "application" -> (
      "A2L=a2l AML=aml ATF=atf ATFX=atfx ATXML=atxml CDFX+XML=cdfx CEA=cea DCD=dcd DII=dii DIT=dit " +
        "LXF=lxf MF4=mf4 ODA=oda ODX=odx PDX=pdx andrew-inset=ez annodex=anx atom+xml=atom " +
        "atomcat+xml=atomcat atomdeleted+xml=atomdeleted atomserv+xml=atomsrv atomsvc+xml=atomsvc " +
        "atsc-dwd+xml=dwd atsc-held+xml=held atsc-rsat+xml=rsat auth-policy+xml=apxml " +
        "automationml-amlx+zip=amlx bacnet-xdd+zip=xdd bbolin=lin calendar+xml=xcs cbor=cbor " +
        "cccex=c3ex ccmp+xml=ccmp ccxml+xml=ccxml cdmi-capability=cdmia cdmi-container=cdmic " +
        "cdmi-domain=cdmid cdmi-object=cdmio cdmi-queue=cdmiq cellml+xml=cellml,cml clr=1clr " +
        "clue_info+xml=clue cms=cmsc cpl+xml=cpl csrattrs=csrattrs cu-seeme=cu cwl=cwl dash+xml=mpd " +
        "dashdelta=mpdd davmount+xml=davmount dicom=dcm dskpp+xml=xmls dsptype=tsp dssc+der=dssc " +
        "dssc+xml=xdssc dvcs=dvc efi=efi emma+xml=emma emotionml+xml=emotionml epub+zip=epub exi=exi " +
        "express=exp fastinfoset=finf fdf=fdf fdt+xml=fdt font-tdpfr=pfr futuresplash=spl " +
        "geo+json=geojson geopackage+sqlite3=gpkg gltf-buffer=glbin,glbuf gml+xml=gml gzip=gz hta=hta " +
        "hyperstudio=stk inkml+xml=ink,inkml ipfix=ipfix its+xml=its java-archive=jar " +
        "java-serialized-object=ser java-vm=class jrd+json=jrd json=json,map " +
        "json-patch+json=json-patch ld+json=jsonld lgr+xml=lgr link-format=wlnk lost+xml=lostxml " +
        "lostsync+xml=lostsyncxml lpf+zip=lpf m3g=m3g mac-binhex40=hqx mac-compactpro=cpt " +
        "mads+xml=mads manifest+json=webmanifest marc=mrc marcxml+xml=mrcx mathematica=ma,mb " +
        "mathml+xml=mml mbox=mbox metalink4+xml=meta4 mets+xml=mets mmt-aei+xml=maei mmt-usd+xml=musd " +
        "mods+xml=mods mp21=m21,mp21 msaccess=mdb msword=doc mxf=mxf n-quads=nq n-triples=nt " +
        "ocsp-request=orq ocsp-response=ors octet-stream=bin,br,deploy,msp,msu oebps-package+xml=opf " +
        "ogg=ogx onenote=one,onepkg,onetmp,onetoc2 oxps=oxps p21=210,ifc,p21,stpnc " +
        "p2p-overlay+xml=relo pdf=pdf pem-certificate-chain=pem pgp-encrypted=pgp pgp-keys=asc,key " +
        "pgp-signature=sig pics-rules=prf pkcs10=p10 pkcs12=p12,pfx pkcs7-mime=p7c,p7m,p7z " +
        "pkcs7-signature=p7s pkcs8=p8 pkcs8-encrypted=p8e pkix-attr-cert=ac pkix-cert=cer pkix-crl=crl " +
        "pkix-pkipath=pkipath pkixcmp=pki postscript=ai,eps,eps2,eps3,epsf,epsi,ps " +
        "provenance+xml=provx prs.cww=cw,cww prs.hpub+zip=hpub prs.nprend=rct,rnd " +
        "prs.rdf-xml-crypt=rdf-crypt prs.xsf+xml=xsf pskc+xml=pskcxml rdf+xml=rdf reginfo+xml=rif " +
        "relax-ng-compact-syntax=rnc resource-lists+xml=rl resource-lists-diff+xml=rld rfc+xml=rfcxml " +
        "rls-services+xml=rs route-apd+xml=rapd route-s-tsid+xml=sls route-usd+xml=rusd " +
        "rpki-ghostbusters=gbr rpki-manifest=mft rpki-roa=roa rtf=rtf sarif+json=sarif scim+json=scim " +
        "scvp-cv-request=scq scvp-cv-response=scs scvp-vp-request=spq scvp-vp-response=spp sdp=sdp " +
        "senml+cbor=senmlc senml+json=senml senml+xml=senmlx senml-etch+cbor=senml-etchc " +
        "senml-etch+json=senml-etchj senml-exi=senmle sensml+cbor=sensmlc sensml+json=sensml " +
        "sensml+xml=sensmlx sensml-exi=sensmle sgml-open-catalog=soc shf+xml=shf sieve=sieve,siv " +
        "simple-filter+xml=cl smil+xml=smi,smil,sml sparql-query=rq sparql-results+xml=srx sql=sql " +
        "srgs=gram srgs+xml=grxml sru+xml=sru ssml+xml=ssml stix+json=stix swid+cbor=coswid " +
        "swid+xml=swidtag tamp-apex-update=tau tamp-apex-update-confirm=auc tamp-community-update=tcu " +
        "tamp-community-update-confirm=cuc tamp-error=ter tamp-sequence-adjust=tsa " +
        "tamp-sequence-adjust-confirm=sac tamp-update=tur tamp-update-confirm=tuc td+json=jsontd " +
        "tei+xml=odd,tei thraud+xml=tfi timestamp-query=tsq timestamp-reply=tsr timestamped-data=tsd " +
        "tm+json=jsontm toml=toml trig=trig ttml+xml=ttml urc-grpsheet+xml=gsheet " +
        "urc-ressheet+xml=rsheet urc-targetdesc+xml=td urc-uisocketdesc+xml=uis " +
        "vnd.1000minds.decision-model+xml=1km vnd.3M.Post-it-Notes=pwn vnd.3gpp.pic-bw-large=plb " +
        "vnd.3gpp.pic-bw-small=psb vnd.3gpp.pic-bw-var=pvb vnd.3gpp2.sms=sms vnd.3gpp2.tcap=tcap " +
        "vnd.3lightssoftware.imagescal=imgcal vnd.FloGraphIt=gph vnd.HandHeld-Entertainment+xml=zmm " +
        "vnd.Kinar=kne,knp,sdf vnd.MFER=mwf vnd.Mobius.DAF=daf vnd.Mobius.DIS=dis vnd.Mobius.MBK=mbk " +
        "vnd.Mobius.MQY=mqy vnd.Mobius.MSL=msl vnd.Mobius.PLC=plc vnd.Mobius.TXF=txf " +
        "vnd.Quark.QuarkXPress=qwd,qwt,qxb,qxd,qxl,qxt vnd.SimTech-MindMapper=twd,twds " +
        "vnd.accpac.simply.aso=aso vnd.accpac.simply.imp=imp vnd.acucobol=acu vnd.acucorp=acutc,atc " +
        "vnd.adobe.flash.movie=swf vnd.adobe.formscentral.fcdt=fcdt vnd.adobe.fxp=fxp,fxpl " +
        "vnd.adobe.xdp+xml=xdp vnd.afpc.modca=afp,list3820,listafp,pseg3820 vnd.afpc.modca-overlay=ovl " +
        "vnd.afpc.modca-pagesegment=psg vnd.age=age vnd.ahead.space=ahead " +
        "vnd.airzip.filesecure.azf=azf vnd.airzip.filesecure.azs=azs vnd.amazon.mobi8-ebook=azw3 " +
        "vnd.americandynamics.acc=acc vnd.amiga.ami=ami vnd.android.ota=ota " +
        "vnd.android.package-archive=apk vnd.anki=apkg vnd.anser-web-certificate-issue-initiation=cii " +
        "vnd.anser-web-funds-transfer-initiation=fti vnd.apache.arrow.file=arrow " +
        "vnd.apache.arrow.stream=arrows vnd.apexlang=apex,apexlang " +
        "vnd.apple.installer+xml=dist,distz,mpkg,pkg vnd.apple.keynote=keynote vnd.apple.mpegurl=m3u8 " +
        "vnd.apple.numbers=numbers vnd.apple.pages=pages vnd.aristanetworks.swi=swi " +
        "vnd.artisan+json=artisan vnd.astraea-software.iota=iota vnd.audiograph=aep " +
        "vnd.autopackage=package vnd.balsamiq.bmml+xml=bmml vnd.balsamiq.bmpr=bmpr " +
        "vnd.banana-accounting=ac2 vnd.belightsoft.lhzd+zip=lhzd vnd.belightsoft.lhzl+zip=lhzl " +
        "vnd.blueice.multipass=mpm vnd.bluetooth.ep.oob=ep vnd.bluetooth.le.oob=le vnd.bmi=bmi " +
        "vnd.businessobjects=rep vnd.cendio.thinlinc.clientconf=tlclient vnd.chemdraw+xml=cdxml " +
        "vnd.chess-pgn=pgn vnd.chipnuts.karaoke-mmd=mmd vnd.cinderella=cdy " +
        "vnd.citationstyles.style+xml=csl vnd.claymore=cla vnd.cloanto.rp9=rp9 " +
        "vnd.clonk.c4group=c4d,c4f,c4g,c4p,c4u vnd.cluetrust.cartomobile-config=c11amc " +
        "vnd.cluetrust.cartomobile-config-pkg=c11amz vnd.coffeescript=coffee " +
        "vnd.collabio.xodocuments.document=xodt vnd.collabio.xodocuments.document-template=xott " +
        "vnd.collabio.xodocuments.presentation=xodp " +
        "vnd.collabio.xodocuments.presentation-template=xotp vnd.collabio.xodocuments.spreadsheet=xods " +
        "vnd.collabio.xodocuments.spreadsheet-template=xots vnd.comicbook+zip=cbz " +
        "vnd.comicbook-rar=cbr vnd.commerce-battelle=ic0,ic1,ic2,ic3,ic4,ic5,ic6,ic7,ic8,icd,icf " +
        "vnd.commonspace=csp,cst vnd.contact.cmsg=cdbcmsg vnd.coreos.ignition+json=ign,ignition " +
        "vnd.cosmocaller=cmc vnd.crick.clicker=clkx vnd.crick.clicker.keyboard=clkk " +
        "vnd.crick.clicker.palette=clkp vnd.crick.clicker.template=clkt " +
        "vnd.crick.clicker.wordbank=clkw vnd.criticaltools.wbs+xml=wbs vnd.crypto-shade-file=ssvc " +
        "vnd.cryptomator.encrypted=c9r,c9s vnd.cryptomator.vault=cryptomator vnd.ctc-posml=pml " +
        "vnd.cups-ppd=ppd vnd.dart=dart vnd.data-vision.rdz=rdz vnd.datalog=dl vnd.dbf=dbf " +
        "vnd.debian.binary-package=ddeb,deb,udeb vnd.dece.data=uvd,uvf,uvvd,uvvf " +
        "vnd.dece.ttml+xml=uvt,uvvt vnd.dece.unspecified=uvvx,uvx vnd.dece.zip=uvvz,uvz " +
        "vnd.denovo.fcselayout-link=fe_launch vnd.desmume.movie=dsm vnd.dna=dna " +
        "vnd.document+json=docjson vnd.doremir.scorecloud-binary-document=scld " +
        "vnd.dpgraph=dpg,dpgraph,mwc vnd.dreamfactory=dfac vnd.dtg.local.flash=fla vnd.dvb.ait=ait " +
        "vnd.dvb.service=svc vnd.dynageo=geo vnd.dzr=dzr vnd.ecowin.chart=mag vnd.enliven=nml " +
        "vnd.epson.esf=esf vnd.epson.msf=msf vnd.epson.quickanime=qam vnd.epson.salt=slt " +
        "vnd.epson.ssf=ssf vnd.ericsson.quickcall=qca,qcall vnd.espass-espass+zip=espass " +
        "vnd.eszigno3+xml=es3,et3 vnd.etsi.asic-e+zip=asice,sce vnd.etsi.asic-s+zip=asics " +
        "vnd.etsi.timestamp-token=tst vnd.eu.kasparian.car+json=carjson " +
        "vnd.evolv.ecig.profile=ecigprofile vnd.evolv.ecig.settings=ecig " +
        "vnd.evolv.ecig.theme=ecigtheme vnd.exstream-empower+zip=mpw vnd.exstream-package=pub " +
        "vnd.ezpix-album=ez2 vnd.ezpix-package=ez3 vnd.familysearch.gedcom+zip=gdz " +
        "vnd.fastcopy-disk-image=dim vnd.fdsn.mseed=msd,mseed vnd.fdsn.seed=dataless,seed " +
        "vnd.ficlab.flb+zip=flb vnd.filmit.zfc=zfc vnd.fluxtime.clip=ftc vnd.font-fontforge-sfd=sfd " +
        "vnd.framemaker=fm vnd.fsc.weblaunch=fsc vnd.fujitsu.oasys=oas vnd.fujitsu.oasys2=oa2 " +
        "vnd.fujitsu.oasys3=oa3 vnd.fujitsu.oasysgp=fg5 vnd.fujitsu.oasysprs=bh2 vnd.fujixerox.ddd=ddd " +
        "vnd.fujixerox.docuworks=xdw vnd.fujixerox.docuworks.binder=xbd " +
        "vnd.fujixerox.docuworks.container=xct vnd.fuzzysheet=fzs vnd.genomatix.tuxedo=txd " +
        "vnd.genozip=genozip vnd.gentics.grd+json=grd vnd.gentoo.ebuild=ebuild " +
        "vnd.gentoo.eclass=eclass vnd.gentoo.xpak=xpak vnd.geogebra.file=ggb vnd.geogebra.slides=ggs " +
        "vnd.geogebra.tool=ggt vnd.geometry-explorer=gex,gre vnd.geonext=gxt vnd.geoplan=g2w " +
        "vnd.geospace=g3w vnd.google-earth.kml+xml=kml vnd.google-earth.kmz=kmz vnd.grafeq=gqf,gqs " +
        "vnd.groove-account=gac vnd.groove-help=ghf vnd.groove-identity-message=gim " +
        "vnd.groove-injector=grv vnd.groove-tool-message=gtm vnd.groove-tool-template=tpl " +
        "vnd.groove-vcard=vcg vnd.hal+xml=hal vnd.hbci=bpd,hbc,hbci,kom,pkd,upa vnd.hdt=hdt " +
        "vnd.hhe.lesson-player=les vnd.hp-HPGL=hpgl vnd.hp-PCL=pcl vnd.hp-hpid=hpi,hpid vnd.hp-hps=hps " +
        "vnd.hp-jlyt=jlt vnd.hydrostatix.sof-data=sfd-hdstx vnd.ibm.MiniPay=mpy " +
        "vnd.ibm.electronic-media=emm vnd.ibm.rights-management=irm vnd.ibm.secure-container=sc " +
        "vnd.iccprofile=icc,icm vnd.igloader=igl vnd.imagemeter.folder+zip=imf " +
        "vnd.imagemeter.image+zip=imi vnd.immervision-ivp=ivp vnd.immervision-ivu=ivu " +
        "vnd.ims.imsccv1p1=imscc vnd.insors.igm=igm vnd.intercon.formnet=xpw,xpx vnd.intergeo=i2g " +
        "vnd.intu.qbo=qbo vnd.intu.qfx=qfx vnd.ipld.car=car vnd.ipunplugged.rcprofile=rcprofile " +
        "vnd.irepository.package+xml=irp vnd.is-xpr=xpr vnd.isac.fcs=fcs vnd.jam=jam " +
        "vnd.jcp.javame.midlet-rms=rms vnd.jisp=jisp vnd.joost.joda-archive=joda vnd.kahootz=ktr,ktz " +
        "vnd.kde.karbon=karbon vnd.kde.kchart=chrt vnd.kde.kformula=kfo vnd.kde.kivio=flw " +
        "vnd.kde.kontour=kon vnd.kde.kpresenter=kpr,kpt vnd.kde.kspread=ksp vnd.kde.kword=kwd,kwt " +
        "vnd.kenameaapp=htke vnd.kidspiration=kia vnd.koan=skd,skm,skp,skt vnd.kodak-descriptor=sse " +
        "vnd.las=las vnd.las.las+json=lasjson vnd.las.las+xml=lasxml " +
        "vnd.llamagraphics.life-balance.desktop=lbd vnd.llamagraphics.life-balance.exchange+xml=lbe " +
        "vnd.logipipe.circuit+zip=lca,lcs vnd.loom=loom vnd.lotus-1-2-3=123,wk1,wk3,wk4 " +
        "vnd.lotus-approach=apr,vew vnd.lotus-freelance=pre,prz " +
        "vnd.lotus-notes=ndl,ns2,ns3,ns4,nsf,nsg,nsh,ntf vnd.lotus-organizer=or2,or3,org " +
        "vnd.lotus-screencam=scm vnd.lotus-wordpro=lwp,sam vnd.macports.portpkg=portpkg " +
        "vnd.mapbox-vector-tile=mvt vnd.marlin.drm.mdcf=mdc vnd.maxar.archive.3tz+zip=3tz " +
        "vnd.maxmind.maxmind-db=mmdb vnd.mcd=mcd vnd.medcalcdata=mc1 vnd.mediastation.cdkey=cdkey " +
        "vnd.medicalholodeck.recordxr=rxt vnd.mfmp=mfm vnd.micrografx.flo=flo vnd.micrografx.igx=igx " +
        "vnd.mif=mif vnd.mophun.application=mpn vnd.mophun.certificate=mpc vnd.mozilla.xul+xml=xul " +
        "vnd.ms-3mfdocument=3mf vnd.ms-artgalry=cil vnd.ms-asf=asf vnd.ms-cab-compressed=cab " +
        "vnd.ms-excel=xla,xlc,xlm,xls,xlt,xlw vnd.ms-excel.addin.macroEnabled.12=xlam " +
        "vnd.ms-excel.sheet.binary.macroEnabled.12=xlsb vnd.ms-excel.sheet.macroEnabled.12=xlsm " +
        "vnd.ms-excel.template.macroEnabled.12=xltm vnd.ms-fontobject=eot vnd.ms-htmlhelp=chm " +
        "vnd.ms-ims=ims vnd.ms-lrm=lrm vnd.ms-officetheme=thmx vnd.ms-pki.seccat=cat " +
        "vnd.ms-powerpoint=pps,ppt vnd.ms-powerpoint.addin.macroEnabled.12=ppam " +
        "vnd.ms-powerpoint.presentation.macroEnabled.12=pptm " +
        "vnd.ms-powerpoint.slide.macroEnabled.12=sldm vnd.ms-powerpoint.slideshow.macroEnabled.12=ppsm " +
        "vnd.ms-powerpoint.template.macroEnabled.12=potm vnd.ms-project=mpp,mpt vnd.ms-tnef=tnef,tnf " +
        "vnd.ms-word.document.macroEnabled.12=docm vnd.ms-word.template.macroEnabled.12=dotm " +
        "vnd.ms-works=wcm,wdb,wks,wps vnd.ms-wpl=wpl vnd.ms-xpsdocument=xps vnd.msa-disk-image=msa " +
        "vnd.mseq=mseq vnd.multiad.creator=crtr vnd.multiad.creator.cif=cif vnd.musician=mus " +
        "vnd.muvee.style=msty vnd.mynfc=taglet vnd.nebumind.line=line,nebul " +
        "vnd.nervana=bkm,entity,kcm,request vnd.neurolanguage.nlu=nlu vnd.nimn=nimn " +
        "vnd.nintendo.nitro.rom=nds vnd.nintendo.snes.rom=sfc,smc vnd.nitf=nitf " +
        "vnd.noblenet-directory=nnd vnd.noblenet-sealer=nns vnd.noblenet-web=nnw " +
        "vnd.nokia.n-gage.data=ngdat vnd.nokia.radio-preset=rpst vnd.nokia.radio-presets=rpss " +
        "vnd.novadigm.EDM=edm vnd.novadigm.EDX=edx vnd.novadigm.EXT=ext " +
        "vnd.oasis.opendocument.base=odb vnd.oasis.opendocument.chart=odc " +
        "vnd.oasis.opendocument.chart-template=otc vnd.oasis.opendocument.formula=odf " +
        "vnd.oasis.opendocument.graphics=odg vnd.oasis.opendocument.graphics-template=otg " +
        "vnd.oasis.opendocument.image=odi vnd.oasis.opendocument.image-template=oti " +
        "vnd.oasis.opendocument.presentation=odp vnd.oasis.opendocument.presentation-template=otp " +
        "vnd.oasis.opendocument.spreadsheet=ods vnd.oasis.opendocument.spreadsheet-template=ots " +
        "vnd.oasis.opendocument.text=odt vnd.oasis.opendocument.text-master=odm " +
        "vnd.oasis.opendocument.text-template=ott vnd.oasis.opendocument.text-web=oth " +
        "vnd.olpc-sugar=xo vnd.oma.dd2+xml=dd2 vnd.onepager=tam vnd.onepagertamp=tamp " +
        "vnd.onepagertamx=tamx vnd.onepagertat=tat vnd.onepagertatp=tatp vnd.onepagertatx=tatx " +
        "vnd.openblox.game+xml=obgx vnd.openblox.game-binary=obg vnd.openeye.oeb=oeb " +
        "vnd.openofficeorg.extension=oxt vnd.openstreetmap.data+xml=osm " +
        "vnd.openxmlformats-officedocument.presentationml.presentation=pptx " +
        "vnd.openxmlformats-officedocument.presentationml.slide=sldx " +
        "vnd.openxmlformats-officedocument.presentationml.slideshow=ppsx " +
        "vnd.openxmlformats-officedocument.presentationml.template=potx " +
        "vnd.openxmlformats-officedocument.spreadsheetml.sheet=xlsx " +
        "vnd.openxmlformats-officedocument.spreadsheetml.template=xltx " +
        "vnd.openxmlformats-officedocument.wordprocessingml.document=docx " +
        "vnd.openxmlformats-officedocument.wordprocessingml.template=dotx vnd.osa.netdeploy=ndc " +
        "vnd.osgeo.mapguide.package=mgp vnd.osgi.dp=dp vnd.osgi.subsystem=esa " +
        "vnd.oxli.countgraph=oxlicg vnd.palm=oprc,pdb,pqa vnd.panoply=plp vnd.patentdive=dive " +
        "vnd.pawaafile=paw vnd.pg.format=str vnd.pg.osasli=ei6 vnd.piaccess.application-licence=pil " +
        "vnd.picsel=efif vnd.pmi.widget=wg vnd.pocketlearn=plf vnd.powerbuilder6=pbd " +
        "vnd.preminet=preminet vnd.previewsystems.box=box,vbox vnd.proteus.magazine=mgz vnd.psfs=psfs " +
        "vnd.publishare-delta-tree=qps vnd.pvi.ptid1=ptid vnd.qualcomm.brew-app-res=bar " +
        "vnd.quobject-quoxdocument=quiz,quox vnd.rainstor.data=tree vnd.rar=rar vnd.realvnc.bed=bed " +
        "vnd.recordare.musicxml=mxl vnd.resilient.logic=reload,rlm vnd.rig.cryptonote=cryptonote " +
        "vnd.rim.cod=cod vnd.route66.link66+xml=link66 vnd.sailingtracker.track=st " +
        "vnd.scribus=scd,sla,slaz vnd.sealed.3df=s3df vnd.sealed.csf=scsf vnd.sealed.doc=s1w,sdo,sdoc " +
        "vnd.sealed.eml=sem,seml vnd.sealed.mht=smh,smht vnd.sealed.ppt=s1p,sppt vnd.sealed.tiff=stif " +
        "vnd.sealed.xls=s1e,sxl,sxls vnd.sealedmedia.softseal.html=s1h,stml " +
        "vnd.sealedmedia.softseal.pdf=s1a,spd,spdf vnd.seemail=see vnd.sema=sema vnd.semd=semd " +
        "vnd.semf=semf vnd.shade-save-file=ssv vnd.shana.informed.formdata=ifm " +
        "vnd.shana.informed.formtemplate=itp vnd.shana.informed.interchange=iif " +
        "vnd.shana.informed.package=ipk vnd.shp=shp vnd.shx=shx vnd.sigrok.session=sr vnd.smaf=mmf " +
        "vnd.smart.notebook=notebook vnd.smart.teacher=teacher vnd.snesdev-page-table=pt,ptrom " +
        "vnd.software602.filler.form+xml=fo vnd.software602.filler.form-xml-zip=zfo " +
        "vnd.solent.sdkm+xml=sdkd,sdkm vnd.spotfire.dxp=dxp vnd.spotfire.sfs=sfs " +
        "vnd.sqlite3=sqlite,sqlite3 vnd.stardivision.calc=sdc vnd.stardivision.chart=sds " +
        "vnd.stardivision.draw=sda vnd.stardivision.impress=sdd vnd.stardivision.math=smf " +
        "vnd.stardivision.writer=sdw vnd.stardivision.writer-global=sgl vnd.stepmania.package=smzip " +
        "vnd.stepmania.stepchart=sm vnd.sun.wadl+xml=wadl vnd.sun.xml.calc=sxc " +
        "vnd.sun.xml.calc.template=stc vnd.sun.xml.draw=sxd vnd.sun.xml.draw.template=std " +
        "vnd.sun.xml.impress=sxi vnd.sun.xml.impress.template=sti vnd.sun.xml.math=sxm " +
        "vnd.sun.xml.writer=sxw vnd.sun.xml.writer.global=sxg vnd.sun.xml.writer.template=stw " +
        "vnd.sus-calendar=sus,susp vnd.sybyl.mol2=ml2,mol2,sy2 vnd.sycle+xml=scl " +
        "vnd.symbian.install=sis vnd.syncml+xml=xsm vnd.syncml.dm+wbxml=bdm vnd.syncml.dm+xml=xdm " +
        "vnd.syncml.dmddf+xml=ddf vnd.tao.intent-module-archive=tao vnd.tcpdump.pcap=cap,dmp,pcap " +
        "vnd.theqvd=qvd vnd.think-cell.ppttc+json=ppttc vnd.tml=vfr,viaframe vnd.tmobile-livetv=tmo " +
        "vnd.trid.tpt=tpt vnd.triscape.mxs=mxs vnd.trueapp=tra vnd.ufdl=frm,ufd,ufdl vnd.uiq.theme=utz " +
        "vnd.umajin=umj vnd.unity=unityweb vnd.uoml+xml=uo,uoml vnd.uri-map=urim,urimap " +
        "vnd.valve.source.material=vmt vnd.vcx=vcx vnd.vd-study=model-inter,mxi,study-inter " +
        "vnd.vectorworks=vwx vnd.veritone.aion+json=aion,vtnstd vnd.veryant.thin=istc,isws " +
        "vnd.vidsoft.vidconference=vsc vnd.visio=vsd,vss,vst,vsw vnd.visionary=vis vnd.vsf=vsf " +
        "vnd.wap.sic=sic vnd.wap.slc=slc vnd.wap.wbxml=wbxml vnd.wap.wmlc=wmlc " +
        "vnd.wap.wmlscriptc=wmlsc vnd.wasmflow.wafl=wafl vnd.webturbo=wtb vnd.wfa.p2p=p2p " +
        "vnd.wfa.wsc=wsc vnd.wmc=wmc vnd.wolfram.mathematica=nb vnd.wolfram.mathematica.package=m " +
        "vnd.wolfram.player=nbp vnd.wordperfect=wpd vnd.wqd=wqd vnd.wt.stf=stf vnd.wv.csp+wbxml=wv " +
        "vnd.xara=xar vnd.xfdl=xfd,xfdl vnd.xmpie.cpkg=cpkg vnd.xmpie.dpkg=dpkg vnd.xmpie.ppkg=ppkg " +
        "vnd.xmpie.xlim=xlim vnd.yamaha.hv-dic=hvd vnd.yamaha.hv-script=hvs vnd.yamaha.hv-voice=hvp " +
        "vnd.yamaha.openscoreformat=osf vnd.yamaha.smaf-audio=saf vnd.yamaha.smaf-phrase=spf " +
        "vnd.yaoweme=yme vnd.yellowriver-custom-menu=cmp vnd.zul=zir,zirz vnd.zzazz.deck+xml=zaz " +
        "voicexml+xml=vxml voucher-cms+json=vcj wasm=wasm watcherinfo+xml=wif widget=wgt wsdl+xml=wsdl " +
        "wspolicy+xml=wspolicy x-123=wk x-7z-compressed=7z x-abiword=abw x-apple-diskimage=dmg " +
        "x-bcpio=bcpio x-bittorrent=torrent x-cdf=cda,cdf x-cdlink=vcd x-comsol=mph x-cpio=cpio " +
        "x-csh=csh x-director=dcr,dir,dxr x-doom=wad x-dvi=dvi x-font=gsf,pfa,pfb x-font-pcf=pcf " +
        "x-freemind=mm x-ganttproject=gan x-gnumeric=gnumeric x-go-sgf=sgf x-graphing-calculator=gcf " +
        "x-gtar=gtar x-gtar-compressed=taz,tgz x-hdf=hdf x-hwp=hwp x-ica=ica x-info=info " +
        "x-internet-signup=ins,isp x-iphone=iii x-iso9660-image=iso x-java-jnlp-file=jnlp x-jmol=jmz " +
        "x-killustrator=kil x-latex=latex x-lha=lha x-lyx=lyx x-lzh=lzh x-lzx=lzx " +
        "x-maker=book,fb,fbdoc,frame,maker x-ms-wmd=wmd x-ms-wmz=wmz x-msdos-program=bat,com,dll,exe " +
        "x-msi=msi x-netcdf=nc x-ns-proxy-autoconfig=pac x-nwc=nwc x-object=o x-oz-application=oza " +
        "x-pkcs7-certreqresp=p7r x-python-code=pyc,pyo x-qgis=qgs x-quicktimeplayer=qtl x-rdp=rdp " +
        "x-redhat-package-manager=rpm x-rss+xml=rss x-ruby=rb x-scilab=sci x-scilab-xcos=xcos x-sh=sh " +
        "x-shar=shar x-silverlight=scr x-stuffit=sit,sitx x-sv4cpio=sv4cpio x-sv4crc=sv4crc x-tar=tar " +
        "x-tcl=tcl x-tex-gf=gf x-tex-pk=pk x-texinfo=texi,texinfo x-trash=bak,old,sik x-troff-man=man " +
        "x-troff-me=me x-troff-ms=ms x-ustar=ustar x-wais-source=src x-wingz=wz x-x509-ca-cert=crt " +
        "x-xfig=fig x-xpinstall=xpi x-xz=xz xcap-att+xml=xav xcap-caps+xml=xca xcap-diff+xml=xdf " +
        "xcap-el+xml=xel xcap-error+xml=xer xcap-ns+xml=xns xfdf=xfdf xhtml+xml=xht,xhtm,xhtml " +
        "xliff+xml=xlf xml=xml xml-dtd=dtd,mod xml-external-parsed-entity=ent xop+xml=xop " +
        "xslt+xml=xsl,xslt xspf+xml=xspf xv+xml=mxml,xhvml,xvm,xvml yaml=yaml,yml yang=yang " +
        "yin+xml=yin zip=zip zstd=zst "
    ),
    "audio" -> (
      "32kadpcm=726 AMR=amr AMR-WB=awb ATRAC-ADVANCED-LOSSLESS=aal ATRAC-X=atx ATRAC3=aa3,at3,omg " +
        "EVRC=evc EVRC-QCP=qcp EVRCB=evb EVRCNW=enw EVRCWB=evw L16=l16 SMV=smv aac=aac,adts,ass " +
        "ac3=ac3 annodex=axa asc=acn basic=au,snd csound=csd,orc,sco dls=dls flac=flac iLBC=lbc " +
        "mhas=mhas mobile-xmf=mxmf mp4=m4a mpeg=mp1,mp2,mp3,mpega,mpga mpegurl=m3u " +
        "ogg=oga,ogg,opus,spx prs.sid=psid,sid sofa=sofa sp-midi=mid usac=loas,xhe vnd.audiokoz=koz " +
        "vnd.dece.audio=uva,uvva vnd.digital-winds=eol vnd.dolby.mlp=mlp vnd.dts=dts vnd.dts.hd=dtshd " +
        "vnd.everad.plj=plj vnd.lucent.voice=lvp vnd.ms-playready.media.pya=pya vnd.nortel.vbk=vbk " +
        "vnd.nuera.ecelp4800=ecelp4800 vnd.nuera.ecelp7470=ecelp7470 vnd.nuera.ecelp9600=ecelp9600 " +
        "vnd.presonus.multitrack=multitrack vnd.rip=rip vnd.sealedmedia.softseal.mpeg=s1m,smp,smp3 " +
        "x-aiff=aif,aifc,aiff x-gsm=gsm x-ms-wax=wax x-ms-wma=wma x-pn-realaudio=ra,ram,rm x-scpls=pls " +
        "x-sd2=sd2 x-wav=wav "
    ),
    "font" -> (
      "collection=ttc otf=otf ttf=ttf woff=woff woff2=woff2 "
    ),
    "image" -> (
      "aces=exr apng=apng avci=avci avcs=avcs avif=avif,hif bmp=bmp cgm=cgm dicom-rle=drle dpx=dpx " +
        "emf=emf fits=fit,fits,fts gif=gif heic=heic heic-sequence=heics heif=heif heif-sequence=heifs " +
        "hej2k=hej2 hsj2=hsj2 ief=ief jls=jls jp2=jp2,jpg2 jpeg=jfif,jpe,jpeg,jpg jph=jph " +
        "jphc=jhc,jphc jpm=jpgm,jpm jpx=jpf,jpx jxl=jxl jxr=jxr jxrA=jxra jxrS=jxrs jxs=jxs jxsc=jxsc " +
        "jxsi=jxsi jxss=jxss ktx=ktx ktx2=ktx2 png=png prs.btif=btf,btif prs.pti=pti svg+xml=svg,svgz " +
        "tiff=tif,tiff tiff-fx=tfx vnd.adobe.photoshop=psd vnd.airzip.accelerator.azv=azv " +
        "vnd.dece.graphic=uvg,uvi,uvvg,uvvi vnd.djvu=djv,djvu vnd.dwg=dwg vnd.dxf=dxf " +
        "vnd.fastbidsheet=fbs vnd.fpx=fpx vnd.fst=fst vnd.fujixerox.edmics-mmr=mmr " +
        "vnd.fujixerox.edmics-rlc=rlc vnd.globalgraphics.pgb=pgb vnd.microsoft.icon=ico " +
        "vnd.ms-modi=mdi vnd.pco.b16=b16 vnd.radiance=hdr,rgbe,xyze vnd.sealed.png=s1n,spn,spng " +
        "vnd.sealedmedia.softseal.gif=s1g,sgi,sgif vnd.sealedmedia.softseal.jpg=s1j,sjp,sjpg " +
        "vnd.tencent.tap=tap vnd.valve.source.texture=vtf vnd.wap.wbmp=wbmp vnd.xiff=xif " +
        "vnd.zbrush.pcx=pcx webp=webp wmf=wmf x-canon-cr2=cr2 x-canon-crw=crw x-cmu-raster=ras " +
        "x-coreldraw=cdr x-coreldrawpattern=pat x-coreldrawtemplate=cdt x-epson-erf=erf x-jg=art " +
        "x-jng=jng x-nikon-nef=nef x-olympus-orf=orf x-portable-anymap=pnm x-portable-bitmap=pbm " +
        "x-portable-graymap=pgm x-portable-pixmap=ppm x-rgb=rgb x-xbitmap=xbm x-xcf=xcf x-xpixmap=xpm " +
        "x-xwindowdump=xwd "
    ),
    "model" -> (
      "JT=jt gltf+json=gltf gltf-binary=glb iges=iges,igs mesh=mesh,msh,silo mtl=mtl obj=obj prc=prc " +
        "step=step,stp step+xml=stpx step+zip=stpz step-xml+zip=stpxz stl=stl u3d=u3d vnd.cld=cld " +
        "vnd.collada+xml=dae vnd.dwf=dwf vnd.gdl=dor,gdl,ism,lmp,msm,rsm,win vnd.gtw=gtw " +
        "vnd.moml+xml=moml vnd.mts=mts vnd.opengex=ogex vnd.parasolid.transmit.binary=x_b,xmt_bin " +
        "vnd.parasolid.transmit.text=x_t,xmt_txt vnd.pytha.pyox=pyox vnd.sap.vds=vds vnd.usda=usda " +
        "vnd.usdz+zip=usdz vnd.valve.source.compiled-map=bsp vnd.vtu=vtu vrml=vrm,vrml,wrl " +
        "x3d+fastinfoset=x3db x3d+xml=x3d,x3dz x3d-vrml=x3dv,x3dvz "
    ),
    "text" -> (
      "SGML=sgm,sgml cache-manifest=appcache,manifest calendar=ics,ifb css=css csv=csv " +
        "csv-schema=csvs dns=soa,zone gff3=gff3 html=htm,html,shtml javascript=es,js,mjs jcr-cnd=cnd " +
        "markdown=markdown,md mizar=miz n3=n3 plain=brf,log,pot,srt,text,txt provenance-notation=provn " +
        "prs.fallenstein.rst=rst prs.lines.tag=dsc,tag shaclc=shaclc,shc shex=shex spdx=spdx " +
        "tab-separated-values=tsv texmacs=tm troff=roff,t,tr turtle=ttl uri-list=uri,uris " +
        "vcard=vcard,vcf vnd.DMClientScript=dms vnd.a=a vnd.abc=abc vnd.ascii-art=ascii vnd.curl=curl " +
        "vnd.debian.copyright=copyright vnd.esmertec.theme-descriptor=jtd vnd.familysearch.gedcom=ged " +
        "vnd.ficlab.flt=flt vnd.fly=fly vnd.fmi.flexstor=flx vnd.graphviz=dot,gv vnd.hans=hans " +
        "vnd.hgl=hgl vnd.in3d.3dml=3dm,3dml vnd.in3d.spot=spo,spot vnd.ms-mediapackage=mpf " +
        "vnd.net2phone.commcenter.command=ccc vnd.senx.warpscript=mc2 vnd.sosi=sos " +
        "vnd.sun.j2me.app-descriptor=jad vnd.wap.si=si vnd.wap.sl=sl vnd.wap.wml=wml " +
        "vnd.wap.wmlscript=wmls vtt=vtt wgsl=wgsl x-bibtex=bib x-boo=boo x-c++hdr=h++,hh,hpp,hxx " +
        "x-c++src=c++,cc,cpp,cxx x-chdr=h x-component=htc x-csrc=c x-diff=diff,patch x-dsrc=d " +
        "x-haskell=hs x-java=java x-lilypond=ly x-literate-haskell=lhs x-moc=moc x-pascal=p,pas " +
        "x-pcs-gcd=gcd x-perl=pl,pm x-python=py x-scala=scala x-setext=etx x-sfv=sfv x-tcl=tk " +
        "x-tex=cls,ltx,sty,tex x-vcalendar=vcs "
    ),
    "video" -> (
      "annodex=axv dv=dif,dv fli=fli gl=gl iso.segment=m4s matroska=mkv mj2=mj2,mjp2 mp2t=ts " +
        "mp4=m4v,mp4,mpg4 mpeg=m1v,m2v,mpe,mpeg,mpg ogg=ogv quicktime=mov,qt vnd.dece.hd=uvh,uvvh " +
        "vnd.dece.mobile=uvm,uvvm vnd.dece.mp4=uvu,uvvu vnd.dece.pd=uvp,uvvp vnd.dece.sd=uvs,uvvs " +
        "vnd.dece.video=uvv,uvvv vnd.dvb.file=dvb vnd.fvt=fvt vnd.mpegurl=m4u,mxu " +
        "vnd.ms-playready.media.pyv=pyv vnd.nokia.interleaved-multimedia=nim " +
        "vnd.radgamettools.bink=bik,bk2 vnd.radgamettools.smacker=smk vnd.sealed.mpeg1=s11,smpg " +
        "vnd.sealed.mpeg4=s14 vnd.sealed.swf=ssw,sswf vnd.sealedmedia.softseal.mov=s1q,smo,smov " +
        "vnd.vivo=viv vnd.youtube.yt=yt webm=webm x-flv=flv x-la-asf=lsf,lsx x-matroska=mpv x-mng=mng " +
        "x-ms-wm=wm x-ms-wmv=wmv x-ms-wmx=wmx x-ms-wvx=wvx x-msvideo=avi x-sgi-movie=movie "
    )
  )
}
